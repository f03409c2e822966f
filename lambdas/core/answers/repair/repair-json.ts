import { skipString } from '../json-nesting.ts'

// Python writes numbers that JSON does not know.
const NOT_A_NUMBER = /(?<![\w.])-?(?:NaN|Infinity)(?![\w.])/g
// oxlint-disable-next-line no-control-regex -- they are what is to be found
const CONTROL_CHARACTER = /[\u0000-\u001f]/g

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeControl = (character: string): string =>
  SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * JSON as its writer meant it, where only one meaning is possible: control characters inside strings are escaped,
 * and `NaN` and `Infinity` are null. The same text where there is nothing of either.
 */
export function repairJson(text: string): string {
  let repaired = ''
  let outside = 0
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', outside)) {
    repaired += text.slice(outside, start).replace(NOT_A_NUMBER, 'null')
    outside = skipString(text, start)
    repaired += text.slice(start, outside).replace(CONTROL_CHARACTER, escapeControl)
    if (outside >= text.length) break
  }
  return repaired + text.slice(outside).replace(NOT_A_NUMBER, 'null')
}
