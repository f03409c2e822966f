import type { ServerResponse } from 'node:http'
import { formatNamedEvent } from '../../../lambdas/sse/format-event.ts'
import type { PageEvents } from '../page-contract.ts'

/** The open pages. What they are sent is written once for all of them. */
export type EventHub = {
  /** Adds a page, which is sent `first` before anything else. */
  open(response: ServerResponse, first: string): void
  send<Name extends keyof PageEvents>(name: Name, data: PageEvents[Name]): void
  readonly pages: number
  close(): void
}

/** So that a page notices within two of them that its server has gone. */
const BEAT_MS = 10_000
/** A page that reads nothing, as in a laptop that sleeps, must not fill the memory: it comes back by itself. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024

export const eventText = <Name extends keyof PageEvents>(name: Name, data: PageEvents[Name]): string =>
  formatNamedEvent(name, JSON.stringify(data))

/** `onPages` is told how many pages are open whenever that changes. */
export function createEventHub(onPages: (open: number) => void): EventHub {
  const open = new Set<ServerResponse>()
  let beat: NodeJS.Timeout | null = null

  function write(response: ServerResponse, text: string): void {
    if (response.writableLength > MOST_UNREAD_BYTES) response.destroy()
    else response.write(text)
  }

  function changed(): void {
    if (open.size > 0) beat ??= setInterval(() => open.forEach(page => write(page, ':\n\n')), BEAT_MS).unref()
    else if (beat !== null) {
      clearInterval(beat)
      beat = null
    }
    onPages(open.size)
  }

  return {
    open(response, first) {
      response.write(first)
      open.add(response)
      response.once('close', () => {
        open.delete(response)
        changed()
      })
      changed()
    },
    send(name, data) {
      if (open.size === 0) return
      const text = eventText(name, data)
      for (const page of open) write(page, text)
    },
    get pages() {
      return open.size
    },
    close() {
      for (const page of open) page.end()
    },
  }
}
