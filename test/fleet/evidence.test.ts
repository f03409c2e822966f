import { describe, expect, it } from 'vitest'
import { endpointNamed } from '../core/build.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { modelGone, refusedConnection } from './instances/failures.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()

function startFleet() {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const endpoint = endpointNamed('up/m')
  const instance = () => open(createInstance({ store, clock, endpoints: [endpoint] }))
  const states = () => store.items().flatMap(item => (item.kind === 'endpoint' ? [item.health.state] : []))
  return { clock, endpoint, instance, states }
}

describe('the evidence against an endpoint', () => {
  it('is gone for every instance as soon as one has cleared a suspect', async () => {
    const { clock, endpoint, instance, states } = startFleet()
    const [one, other] = [instance(), instance()]
    await one.request({ endpoint, failure: modelGone() }, { endpoint, failure: modelGone() })
    expect(states()).toEqual(['suspect'])
    await one.request({ endpoint, failure: null })
    expect(states()).toEqual([])
    clock.pass(1_500)
    await other.request({ endpoint, failure: modelGone() })
    expect(states()).toEqual([])
  })

  it('is not kept of a model that no chain names, because no probe would ever readmit it', async () => {
    const { endpoint, instance, states } = startFleet()
    const direct = endpointNamed('up/asked-for-directly', { baseUrl: endpoint.baseUrl })
    const one = instance()
    for (let count = 0; count < 5; count += 1) await one.request({ endpoint: direct, failure: modelGone() })
    expect(states()).toEqual([])
    // What it shows of its host still counts.
    const failure = refusedConnection()
    await one.request({ endpoint: direct, failure }, { endpoint: direct, failure })
    expect(states()).toEqual(['suspect'])
  })
})
