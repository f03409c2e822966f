import { describe, expect, it } from 'vitest'
import { quotaKey } from '../../../lambdas/core/item-keys.ts'
import { ask } from '../../support/ask.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUp } from './start-limited-up.ts'

describe('a table that is away', () => {
  it('leaves an instance that is alone all of it', async () => {
    const { start, store, up } = await startUp({ requestsPerMinute: 20 })
    const gateway = await start()
    store.fail('refuse')
    for (let sent = 0; sent < 24; sent += 1) await ask(gateway)
    expect(up.calls()).toBe(20)
  })

  it('leaves each instance its share of what is left', async () => {
    const { start, store, up } = await startUp({ requestsPerMinute: 10 })
    const gateways = [await start(), await start()]
    // Each has seen what the other one uses.
    for (const gateway of [...gateways, ...gateways]) {
      await ask(gateway)
      await gateway.settled()
    }
    store.fail('refuse')
    const answers = await Promise.all(
      gateways.flatMap(gateway => Array.from({ length: 8 }, () => ask(gateway))),
    )
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(up.calls()).toBeLessThanOrEqual(12)
  })
})

describe('what could not be written', () => {
  it.each([2, 1_000])('of %d requests at a time is not given back', async concurrency => {
    const { clock, start, store, up } = await startUp({ concurrency })
    const gateway = await start()
    await ask(gateway)
    await gateway.settled()
    up.play([{ ...chatStream(['here']), headersDelayMs: 3_000 }])
    store.fail('throttle')
    const during = [ask(gateway), ask(gateway)]
    await clock.sleep(1_000, new AbortController().signal)
    store.fail(null)
    expect((await Promise.all(during)).map(({ status }) => status)).toEqual([200, 200])
    await gateway.settled()
    const key = quotaKey('up', null, null)
    expect(store.quotaAt(key)['c_n']).toBe(0)
    const other = await start()
    const after = await Promise.all(Array.from({ length: 6 }, () => ask(other)))
    expect(after.filter(({ status }) => status === 200)).toHaveLength(Math.min(concurrency, 6))
  })

  it('leaves the tokens that answers have used', async () => {
    const { clock, start, store, up } = await startUp({ tokensPerMinute: 5_000_000 })
    const gateway = await start()
    await ask(gateway)
    await gateway.settled()
    const key = quotaKey('up', null, null)
    const one = store.quotaAt(key)['tm_n'] ?? NaN
    up.play([{ ...chatStream(['here']), headersDelayMs: 3_000 }])
    clock.pass(2_000)
    const slow = ask(gateway, { max_tokens: 1_000 })
    await clock.sleep(1_500, new AbortController().signal)
    store.fail('throttle')
    // The flush of another answer fails, with what the slow one has taken in it.
    await ask(gateway, { model: 'other/m' })
    await clock.sleep(100, new AbortController().signal)
    store.fail(null)
    await slow
    await gateway.settled()
    clock.pass(2_000)
    await ask(gateway, { model: 'other/m' })
    await gateway.settled()
    expect(store.quotaAt(key)['tm_n']).toBe(2 * one)
  })
})
