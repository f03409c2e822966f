/** Headers of HTTP itself and of CORS, which pages do not show. */
const TRANSPORT =
  /^(?:date|connection|keep-alive|transfer-encoding|content-length|vary|access-control-[\w-]+): .*\n/gim

/** What differs from run to run, and what stands for it. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'ID'],
  [/chatcmpl-simulated-\d+/g, 'chatcmpl-simulated-N'],
  [/\b1\d{12}\b/g, 'INSTANT'],
  [/"created":\d+/g, '"created":N'],
  [/"ms":\d+/g, '"ms":N'],
  [/;\d+(?=$|,| >)/gm, ';N'],
  [/^(retry-after): \d+$/gm, '$1: N'],
  [/\b\d+(?:\.\d+)? (?:ms|s|min|h|d)\b/g, 'SPAN'],
  [/\b\d\d:\d\d:\d\d\b/g, 'TIME'],
  [/\b20\d\d-\d\d-\d\d\b/g, 'DAY'],
  [/@[\da-f]{8}\//g, '@N/'],
  [/\bkey [\da-f]{8}\b/g, 'key N'],
  [/ {2,}/g, ' '],
  [/ $/gm, ''],
]

/** Output as a page shows it: no transport headers, no carriage returns, the address of the page's gateway. */
export const shownOutput = (output: string, url: string): string =>
  output.replaceAll('\r', '').replaceAll(url, 'http://127.0.0.1:4141').replaceAll(TRANSPORT, '').trimEnd()

/** Output without what differs from run to run. */
export const settledOutput = (output: string): string =>
  VOLATILE.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), output)

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const matches = (line: string, pattern: string): boolean =>
  new RegExp(`^${settledOutput(pattern).split('…').map(escaped).join('.*')}$`).test(settledOutput(line))

/**
 * The output with the same parts left out as on the page, so that the two are equal where the page is true. A line
 * `…` stands for any number of lines, `…` inside a line for any text. Lines that match are given as the page has them.
 */
export function leaveOut(output: string, page: string): string {
  const lines = output.split('\n')
  const shown = page.split('\n')
  const result: string[] = []
  let at = 0
  for (const [index, pattern] of shown.entries()) {
    if (pattern === '…') {
      result.push(pattern)
      const next = shown[index + 1]
      const left = shown.length - index - 1
      // The last part of a page is the last of the output; one in the middle begins where its first line is found.
      const isLast = !shown.slice(index + 1).includes('…')
      const found = lines.findIndex((line, place) => place >= at && matches(line, next ?? ''))
      at = isLast ? Math.max(at, lines.length - left) : found === -1 ? at : found
      continue
    }
    const line = lines[at++]
    if (line === undefined) break
    result.push(matches(line, pattern) ? pattern : line)
  }
  return [...result, ...lines.slice(at)].join('\n')
}
