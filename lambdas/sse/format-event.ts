/** What OpenAI's streams end with. */
export const DONE_EVENT = 'data: [DONE]\n\n'

/** One event on the wire; a line break inside JSON is only whitespace, so the data always fits on one line. */
export function formatEvent(data: string): string {
  return `data: ${data.replace(/[\r\n]+/g, ' ')}\n\n`
}
