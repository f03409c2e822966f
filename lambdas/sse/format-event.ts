/** What OpenAI's streams end with. */
export const DONE_EVENT = 'data: [DONE]\n\n'

/** One event on the wire; a line break inside JSON is only whitespace, so the data always fits on one line. */
export function formatEvent(data: string): string {
  const isOneLine = !data.includes('\n') && !data.includes('\r')
  return `data: ${isOneLine ? data : data.replace(/[\r\n]+/g, ' ')}\n\n`
}

/** The same with a name, by which clients of some APIs tell their events apart. */
export const formatNamedEvent = (name: string, data: string): string => `event: ${name}\n${formatEvent(data)}`
