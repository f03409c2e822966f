import { complains, soundsLikeError } from '../core/answers/error-event.ts'
import { parseJsonObject } from '../core/json.ts'

const FIELD = /^(?::|(?:data|event|id|retry)(?::|$))/
const PAGE = /^<(?:!doctype|\?xml|html|head|body|center|h1)\b/i

/** The lines of an event that are no field of one: of a page, or of an error that somebody wrote among the events. */
export const strayLines = (raw: string): string =>
  raw
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .filter(line => !FIELD.test(line))
    .join('\n')
    .trim()

/** Whether words that stand where an event belongs tell of an error, or are the page of a proxy. */
export function tellsOfError(words: string): boolean {
  const text = words.trim()
  if (PAGE.test(text)) return true
  const json = parseJsonObject(text)
  return json ? complains(json) : soundsLikeError(text)
}
