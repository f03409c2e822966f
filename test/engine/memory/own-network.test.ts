import { describe, expect, it } from 'vitest'
import { createOwnNetworkCheck } from '../../../lambdas/engine/memory/own-network.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'

const MINUTE = 60_000

function start(onlyProvider = false) {
  const clock = createFakeClock()
  const ownNetwork = createOwnNetworkCheck(clock, onlyProvider)
  let counted = 0
  const fail = (provider: string): void => ownNetwork.whenItWorks(provider, () => void (counted += 1))
  return { clock, ownNetwork, fail, counted: () => counted }
}

describe('evidence that could be our own network', () => {
  it('counts as soon as another provider answers', () => {
    const { ownNetwork, fail, counted } = start()
    fail('dead')
    ownNetwork.answered('dead')
    expect(counted()).toBe(0)
    ownNetwork.answered('good')
    expect(counted()).toBe(1)
    ownNetwork.answered('good')
    expect(counted()).toBe(1)
  })

  it('does not count by what another one answered before', () => {
    const { clock, ownNetwork, fail, counted } = start()
    ownNetwork.answered('good')
    clock.pass(1)
    fail('dead')
    expect(counted()).toBe(0)
  })

  it('is suspicious where it is against several providers: one alone may be all that anybody asked', () => {
    const { ownNetwork, fail } = start()
    fail('dead')
    fail('dead')
    expect(ownNetwork.suspicious).toBe(0)
    fail('other')
    expect(ownNetwork.suspicious).toBe(3)
    ownNetwork.answered('good')
    expect(ownNetwork.suspicious).toBe(0)
  })

  it('does not count where the others that answered before fail as well', () => {
    const { ownNetwork, fail, counted } = start()
    for (const provider of ['a', 'b', 'c']) ownNetwork.answered(provider)
    for (const provider of ['a', 'b', 'c']) fail(provider)
    expect([counted(), ownNetwork.suspicious]).toEqual([0, 3])
  })

  it('does not count when the network comes back, and is forgotten after a minute', () => {
    const { clock, ownNetwork, fail, counted } = start()
    for (const provider of ['a', 'b']) fail(provider)
    clock.pass(5_000)
    for (const provider of ['a', 'b']) ownNetwork.answered(provider)
    expect(counted()).toBe(0)
    clock.pass(MINUTE)
    expect(ownNetwork.suspicious).toBe(0)
    ownNetwork.answered('a')
    expect(counted()).toBe(0)
    fail('b')
    ownNetwork.answered('a')
    expect(counted()).toBe(1)
  })

  it('counts at once where there is only one provider', () => {
    const { fail, counted } = start(true)
    fail('only')
    expect(counted()).toBe(1)
  })
})
