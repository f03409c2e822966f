import { describe, expect, test } from 'vitest'
import { planChain } from '../../lambdas/core/routing/plan.ts'
import type { Endpoint } from '../../lambdas/core/endpoint.ts'
import { chainOf, endpointNamed, failureOf, requestFor, timed } from '../core/build.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance, type EngineInstance } from './instances/engine-instance.ts'

const open = endAfterEach()
const SECOND = 1_000
const MINUTE = 60 * SECOND

type Call = { at: number; well: boolean }

/** A provider with some models before a healthy one: two instances, requests at a steady pace. */
async function play(
  outageMs: number,
  perSecond: number,
  models: number,
): Promise<{ calls: Call[]; backAt: number }> {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const ill = Array.from({ length: models }, (_, index) => endpointNamed(`ill/m${index}`))
  const other = endpointNamed('well/m')
  const endpoints = [...ill, other]
  const fleet = [0, 1].map(() => open(createInstance({ store, clock, endpoints })))
  const everyMs = SECOND / perSecond
  const downAt = clock.now() + 10 * SECOND
  const backAt = downAt + outageMs
  const endsAt = backAt + 3 * MINUTE
  const calls: Call[] = []
  const isWell = (): boolean => clock.now() < downAt || clock.now() >= backAt

  async function attempt({ memory }: EngineInstance, endpoint: Endpoint, id: string): Promise<boolean> {
    const plan = planChain(requestFor(), chainOf([[endpoint], [other]]), await memory.snapshot(), clock.now())
    const [candidate] = plan.candidates
    if (candidate?.endpoint !== endpoint) return false
    const trial = candidate.trial.length > 0 ? await memory.claimTrial(endpoint, candidate.trial) : null
    if (candidate.trial.length > 0 && !trial) return false
    const noted = { endpoint, key: null, requestId: id, startedAt: clock.now(), trial }
    calls.push({ at: clock.now(), well: isWell() })
    if (isWell()) {
      memory.committed(noted)
      memory.succeeded(noted, timed())
    } else memory.failed(noted, failureOf({ kind: 'server_error', scope: 'provider', status: 500 }))
    return isWell()
  }

  for (let count = 0; clock.now() < endsAt; count += 1) {
    const instance = fleet[count % 2]
    const endpoint = ill[count % models]
    if (!instance || !endpoint) throw new Error('nobody to ask')
    if (!(await attempt(instance, endpoint, `r${count}`))) {
      const noted = { endpoint: other, key: null, requestId: `r${count}`, startedAt: clock.now() }
      instance.memory.committed(noted)
      instance.memory.succeeded(noted, timed())
    }
    await instance.memory.settled()
    clock.pass(everyMs)
    const isBack = calls.some(({ at, well }) => at >= backAt && well)
    if (isBack && clock.now() > backAt + 2 * everyMs) break
  }
  return { calls, backAt }
}

describe('a provider that is down for a while behind a chain', () => {
  const rows = [1, 3].flatMap(models =>
    [0.1, 1, 10, 100].flatMap(perSecond =>
      (perSecond > 10 ? [1, 3] : [1, 5, 20]).map(minutes => [models, perSecond, minutes] as const),
    ),
  )
  test.each(rows)(
    '%d models, %d requests a second, %d min',
    async (models, perSecond, minutes) => {
      const { calls, backAt } = await play(minutes * MINUTE, perSecond, models)
      const first = calls.find(({ at, well }) => at >= backAt && well)
      expect((first?.at ?? Infinity) - backAt).toBeLessThanOrEqual(75 * SECOND + SECOND / perSecond)
      // No crowd waits at its return: it is one call that finds out.
      expect(calls.filter(({ at }) => at >= backAt && at < (first?.at ?? 0))).toEqual([])
      // Requests that are under way find out at the beginning, and then one trial a model in a quarter of a minute.
      const during = calls.filter(({ at, well }) => !well && at < backAt).length
      expect(during).toBeLessThanOrEqual(models * (4 + (minutes * MINUTE) / (15 * SECOND)))
    },
    60_000,
  )
})
