import { describe, expect, it } from 'vitest'
import { createWitness } from '../../../lambdas/engine/memory/witness.ts'
import { createFakeClock } from '../../fleet/fake-clock.ts'

const MINUTE = 60_000

function start(onlyProvider = false) {
  const clock = createFakeClock()
  const witness = createWitness(clock, onlyProvider)
  let counted = 0
  const fail = (provider: string): void => witness.whenVouched(provider, () => void (counted += 1))
  return { clock, witness, fail, counted: () => counted }
}

describe('evidence that could be our own network', () => {
  it('counts as soon as another provider answers', () => {
    const { witness, fail, counted } = start()
    fail('dead')
    expect([counted(), witness.waiting]).toEqual([0, 1])
    witness.answered('dead')
    expect(counted()).toBe(0)
    witness.answered('good')
    expect([counted(), witness.waiting]).toEqual([1, 0])
    witness.answered('good')
    expect(counted()).toBe(1)
  })

  it('does not count by what another one answered before', () => {
    const { clock, witness, fail, counted } = start()
    witness.answered('good')
    clock.pass(1)
    fail('dead')
    expect([counted(), witness.waiting]).toEqual([0, 1])
  })

  it('does not count where the others that answered before fail as well', () => {
    const { witness, fail, counted } = start()
    for (const provider of ['a', 'b', 'c']) witness.answered(provider)
    for (const provider of ['a', 'b', 'c']) fail(provider)
    expect([counted(), witness.waiting]).toEqual([0, 3])
  })

  it('does not count when the network comes back, and is forgotten after a minute', () => {
    const { clock, witness, fail, counted } = start()
    for (const provider of ['a', 'b']) fail(provider)
    clock.pass(5_000)
    for (const provider of ['a', 'b']) witness.answered(provider)
    expect(counted()).toBe(0)
    clock.pass(MINUTE)
    expect(witness.waiting).toBe(0)
    witness.answered('a')
    expect(counted()).toBe(0)
    fail('b')
    witness.answered('a')
    expect(counted()).toBe(1)
  })

  it('counts at once where there is only one provider', () => {
    const { fail, counted } = start(true)
    fail('only')
    expect(counted()).toBe(1)
  })
})
