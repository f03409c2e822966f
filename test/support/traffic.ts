import type { VirtualClock } from './clocks/virtual-clock.ts'
import { ask, type Answer } from './ask.ts'
import type { TestGateway } from './start-gateway.ts'

export type Served = { at: number; endedAt: number; answer: Answer }

const forever = new AbortController().signal
const PROBE_EVERY_MS = 60_000

/** Requests at a steady pace, and the probe runs of the schedule, in virtual time. */
export function createTraffic(gateway: TestGateway, clock: VirtualClock) {
  const served: Served[] = []
  const open = new Set<Promise<unknown>>()
  let probedAt = clock.now()

  function send(body: object, headers: Record<string, string>): void {
    const at = clock.now()
    const done: Promise<unknown> = ask(gateway, body, headers)
      .then(answer => served.push({ at, endedAt: clock.now(), answer }))
      .finally(() => void open.delete(done))
    open.add(done)
  }

  async function probeWhenDue(): Promise<void> {
    if (clock.now() - probedAt < PROBE_EVERY_MS) return
    probedAt = clock.now()
    const run: Promise<unknown> = gateway.probe(false).finally(() => void open.delete(run))
    open.add(run)
  }

  return {
    served,
    /** One request every `everyMs`, for so long, or until the condition holds. */
    async flow(
      ms: number,
      everyMs: number,
      {
        until = () => false,
        body = () => ({}),
        headers = {},
      }: {
        until?: () => boolean
        body?: (index: number) => object
        headers?: Record<string, string>
      } = {},
    ): Promise<void> {
      const end = clock.now() + ms
      for (let index = 0; clock.now() < end && !until(); index += 1) {
        send(body(index), headers)
        await probeWhenDue()
        await clock.sleep(everyMs, forever)
      }
    },
    /** Everything under way has ended. */
    async rest(): Promise<void> {
      while (open.size > 0) {
        await Promise.race([Promise.all(open), clock.sleep(1_000, forever)])
      }
    },
  }
}
