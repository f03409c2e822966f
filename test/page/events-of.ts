import type { PageEvents } from '../../infra/page/page-contract.ts'
import { createEventReader, type ServerSentEvent } from '../../lambdas/sse/event-reader.ts'

type Name = keyof PageEvents

export type OpenEvents = {
  /** The next event of this name that is as wanted; earlier ones of this name are passed over, those of others wait. */
  next<Wanted extends Name>(
    name: Wanted,
    isWanted?: (data: PageEvents[Wanted]) => boolean,
  ): Promise<{ data: PageEvents[Wanted] }>
  close(): void
}

/** Watches a page's events, as the page does. */
export async function eventsOf(url: string, headers: Record<string, string> = {}): Promise<OpenEvents> {
  const left = new AbortController()
  const response = await fetch(`${url}/local/page/events`, { headers, signal: left.signal })
  const reader = createEventReader()
  const arrived: ServerSentEvent[] = []
  const chunks = response.body?.values()
  return {
    async next(name, isWanted = () => true) {
      for (;;) {
        for (let at = arrived.findIndex(({ event }) => event === name); at >= 0;) {
          const [event] = arrived.splice(at, 1)
          const data = JSON.parse(event?.data ?? '') as PageEvents[typeof name]
          if (isWanted(data)) return { data }
          at = arrived.findIndex(({ event }) => event === name)
        }
        const chunk = await chunks?.next()
        if (!chunk || chunk.done) throw new Error(`The events ended without ${name}.`)
        arrived.push(...reader.push(chunk.value))
      }
    },
    close: () => left.abort(),
  }
}
