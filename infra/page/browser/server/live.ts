import type { PageEvents } from '../../page-contract.ts'
import { callPage } from './api.ts'
import { readEvents } from './event-stream.ts'
import { PageRefused } from './refused.ts'

/** `refused`: this page may not watch, and trying again would not help. */
export type Liveness =
  { state: 'live' } | { state: 'lost'; since: number } | { state: 'refused'; message: string }

export type LiveHandlers = {
  [Name in keyof PageEvents]: (data: PageEvents[Name]) => void
}

/** The server writes at least every 10 s. */
const SILENCE_MS = 25_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000

/** Watches the fleet until the page is left; comes back by itself whenever the connection breaks. */
export async function watch(handlers: LiveHandlers, onLiveness: (liveness: Liveness) => void): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  let lostAt: number | null = null
  for (;;) {
    try {
      await watchOnce(handlers, () => {
        waitMs = FIRST_WAIT_MS
        lostAt = null
        onLiveness({ state: 'live' })
      })
    } catch (error) {
      if (error instanceof PageRefused && (error.status === 401 || error.status === 403))
        return onLiveness({ state: 'refused', message: error.message })
    }
    lostAt ??= Date.now()
    onLiveness({ state: 'lost', since: lostAt })
    await new Promise(resolve => setTimeout(resolve, waitMs))
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
  }
}

async function watchOnce(handlers: LiveHandlers, onOpen: () => void): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  const onBytes = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  try {
    const { body } = await callPage('events', { signal: silence.signal })
    if (!body) return
    onOpen()
    for await (const { event, data } of readEvents(body, onBytes)) handle(handlers, event, data)
  } finally {
    clearTimeout(timer)
  }
}

function handle(handlers: LiveHandlers, event: string, data: string): void {
  const handler = Object.hasOwn(handlers, event) ? handlers[event as keyof LiveHandlers] : null
  // Both sides are of one version: the page comes from the server that sends the events.
  ;(handler as ((value: unknown) => void) | null)?.(JSON.parse(data))
}
