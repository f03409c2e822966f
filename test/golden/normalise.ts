import { UPSTREAM_WORDS } from './scenario.ts'

// Seconds and instants are compared in steps as wide as a busy machine may be slow.
const STEP_SECONDS = 10

const DURATIONS = new Set([
  'ms',
  'durationMs',
  'startedAfterMs',
  'firstTokenMs',
  'overheadMs',
  'Latency',
  'TimeToFirstToken',
  'GatewayOverhead',
])
const WORDS = new Set(['message', 'error'])
const FIRST_INSTANT = 1e12

/** Time to go, which only shrinks while a scenario plays. */
const secondsToGo = (seconds: number): number => Math.ceil(seconds / STEP_SECONDS) * STEP_SECONDS

function instant(at: number, startedAt: number): string {
  const seconds = Math.floor((at - startedAt) / 1_000 / STEP_SECONDS) * STEP_SECONDS
  return `<start ${seconds < 0 ? '-' : '+'} ${Math.abs(seconds)} s>`
}

/** Our own words may change; what an upstream said may not get lost in them. */
function message(text: string): string {
  const quoted = [...UPSTREAM_WORDS].filter(words => text.includes(words)).toSorted()
  return quoted.length > 0 ? `<message with: ${quoted.join(' | ')}>` : '<message>'
}

/** Without generated ids, ports, and what is derived from them. */
export const plainText = (text: string): string =>
  text
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '<id>')
    .replaceAll(/@[\da-f]{8}(?=[/#]|$)/g, '@<host>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<host>')

/** A JSON value without what differs from run to run. */
export function normalise(value: unknown, startedAt: number, name = ''): unknown {
  if (typeof value === 'string') return WORDS.has(name) ? message(value) : plainText(value)
  if (typeof value === 'number') {
    if (DURATIONS.has(name)) return '<ms>'
    if (name === 'version') return '<version>'
    if (name === 'seconds') return secondsToGo(value)
    if (name === 'expiresAt') return instant(value * 1_000, startedAt)
    return value >= FIRST_INSTANT ? instant(value, startedAt) : value
  }
  if (name === 'causes' && Array.isArray(value)) return value.map(() => '<model>')
  if (Array.isArray(value)) return value.map(part => normalise(part, startedAt))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [plainText(key), normalise(part, startedAt, key)]),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function jsonText(text: string, startedAt: number): string {
  const value = parse(text)
  return value === undefined ? plainText(text) : JSON.stringify(normalise(value, startedAt))
}

/** A response's text line by line, so that the framing of events is compared too. */
export const bodyLines = (text: string, startedAt: number): string[] =>
  text
    .split('\n')
    .map(line =>
      line.startsWith('data: ')
        ? `data: ${jsonText(line.slice('data: '.length), startedAt)}`
        : jsonText(line, startedAt),
    )

const WITHOUT: ReadonlySet<string> = new Set(['date', 'content-length', 'host'])

function headerValue(name: string, value: string): string {
  if (name === 'x-backstop-chain') return value.replaceAll(/;\d+(?= > |$)/g, ';<ms>')
  if (name === 'x-backstop-skipped') {
    return value.replaceAll(/;(\d+)(?=, |$)/g, (_, seconds) => `;${secondsToGo(Number(seconds))}`)
  }
  if (name === 'retry-after') return String(secondsToGo(Number(value)))
  return plainText(value)
}

/** Headers of a response, or of a request that an upstream received. */
export const plainHeaders = (headers: Iterable<readonly [string, string]>): Record<string, string> =>
  Object.fromEntries(
    [...headers]
      .filter(([name]) => !WITHOUT.has(name))
      .map(([name, value]) => [name, headerValue(name, value)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )

/** One counted metric, as `Latency{} 12 Milliseconds`. */
export const plainMetric = (text: string): string =>
  plainText(text).replace(/ \d+(?:\.\d+)? Milliseconds$/, ' <ms> Milliseconds')

export const asCounted = (counters: Readonly<Record<string, number>>): Record<string, number | string> => {
  const sums: Record<string, number | string> = {}
  for (const [name, count] of Object.entries(counters)) {
    // The bucket's number is the time, a model's tag depends on its port, and a bin on how busy the machine is.
    const kind = name.replace(
      /\d+(_[0-9a-f]+)?$/,
      (_, tag?: string) => `<bucket>${tag === undefined ? '' : tag.length > 4 ? '<model>' : '<bin>'}`,
    )
    sums[kind] = kind === 'v<bucket>' ? '<ms>' : Number(sums[kind] ?? 0) + count
  }
  return Object.fromEntries(Object.entries(sums).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** What is written side by side may come in any order. */
export const sorted = (values: readonly unknown[]): unknown[] =>
  values
    .map(value => ({ value, text: JSON.stringify(value) }))
    .toSorted((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ value }) => value)
