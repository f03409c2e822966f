import { describe, expect, it } from 'vitest'
import { readUsage, type UsageRow } from '../../../lambdas/engine/callers/read-usage.ts'
import type { RequestCompleted } from '../../../lambdas/core/request-completed.ts'
import { openStackWorld } from '../../operate/stack-world.ts'
import { ask } from '../../support/ask.ts'
import { createWorld, startGateway } from '../../support/start-gateway.ts'
import { chatCompletion } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { as } from './named-callers.ts'
import { CALLERS, playDay } from './recorded-day.ts'

const REQUESTS = 240
/** What the virtual clock starts with lies in the afternoon of a day of UTC. */
const [FIRST, LAST] = ['2026-09-01', '2026-09-30']

type Sum = { name: string; requests: number; dollars: number; lostDollars: number }

const summed = <Row>(rows: readonly Row[], valueOf: (row: Row) => number | null): number =>
  rows.reduce((sum, row) => sum + (valueOf(row) ?? 0), 0)

const ofCaller = <Row extends { caller: string }>(rows: readonly Row[], name: string): readonly Row[] =>
  rows.filter(({ caller }) => caller === name)

describe('a recorded day', async () => {
  const world = await openStackWorld({ rows: [] })
  let lines: readonly RequestCompleted[] = []
  let rows: readonly UsageRow[] = []

  it('has all that makes it hard to sum up', async () => {
    const { clock, store } = createWorld()
    const { addUsage } = world.store
    lines = await playDay({ ...store, addUsage }, clock, REQUESTS)
    rows = await readUsage(world.store, FIRST, LAST)
    expect(lines).toHaveLength(REQUESTS + 1)
    expect(new Set(lines.map(({ outcome }) => outcome))).toEqual(
      new Set(['answered', 'cut', 'client-left', 'failed']),
    )
    expect(lines.some(({ attempts, servedBy }) => attempts.length > 1 && servedBy === 'second/m')).toBe(true)
    expect(summed(lines, ({ lostDollars }) => lostDollars)).toBeGreaterThan(0)
    expect(new Set(rows.map(({ day }) => day)).size).toBeGreaterThan(1)
  }, 120_000)

  it('has the dollars of its log lines in the table, to a billionth, whoever asked', () => {
    for (const caller of CALLERS) {
      const [own, logged] = [ofCaller(rows, caller), ofCaller(lines, caller)]
      expect(summed(own, row => row.dollars)).toBeCloseTo(
        summed(logged, line => line.dollars),
        9,
      )
      expect(summed(own, row => row.lostDollars)).toBeCloseTo(
        summed(logged, line => line.lostDollars),
        9,
      )
      expect(summed(own, row => row.requests)).toBe(logged.length)
    }
  })

  it('has the tokens that upstreams counted', () => {
    const counted = lines.filter(({ usage }) => usage !== null)
    const uncounted = lines.filter(({ usage, servedBy }) => usage === null && servedBy !== null).length
    const logged = summed(counted, ({ usage }) => usage?.promptTokens ?? 0)
    const recorded = summed(rows, row => row.promptTokens)
    expect(uncounted).toBeGreaterThan(0)
    // The rest is an estimate of the same short prompt.
    expect(recorded).toBe(logged + uncounted * (lines[0]?.promptTokensEstimate ?? 0))
  })

  it.each(['caller', 'model', 'endpoint', 'day'])('is what npm run usage tells by %s', async by => {
    const { code, stdout, stderr } = await world.run('usage', ['--month', '2026-09', '--by', by, '--json'])
    expect([code, stderr]).toEqual([0, ''])
    const { rows: sums, total } = JSON.parse(stdout) as { rows: Sum[]; total: Sum }
    expect(sums.map(({ name }) => name).toSorted()).toEqual(
      [...new Set(rows.map(row => String(Reflect.get(row, by))))].toSorted(),
    )
    for (const of of ['dollars', 'lostDollars'] as const) {
      const logged = summed(lines, line => line[of])
      expect(summed(sums, sum => sum[of])).toBeCloseTo(logged, 9)
      expect(total[of]).toBeCloseTo(logged, 9)
    }
  })

  it('fits a terminal', async () => {
    const { stdout } = await world.run('usage', ['--month', '2026-09', '--by', 'endpoint'])
    expect(stdout.split('\n').filter(line => line.length > 80)).toEqual([])
    expect(stdout).toContain('total')
    await world[Symbol.asyncDispose]()
  })
})

describe('the record of use', () => {
  it('does not grow with the names that callers think of', async () => {
    await using upstream = await startUpstream([chatCompletion('here')])
    const { clock, store } = createWorld()
    const config = {
      providers: { up: { baseUrl: upstream.url, key: false } },
      models: { chat: { tiers: [['up/m']] } },
      settings: { direct_models: true },
    }
    await using gateway = await startGateway(config, {}, { clock, store })
    for (let index = 0; index < 20; index += 1) {
      await ask(gateway, { model: `up/thought-of-${index}` }, as('anybody'))
      clock.pass(11_000)
    }
    await gateway.settled()
    clock.pass(11_000)
    await ask(gateway, { model: 'up/m' })
    await gateway.settled()
    expect(store.usageAddresses().map(({ sk }) => sk.slice(3))).toEqual([
      'loopback#(direct)#up%2F(direct)',
      'loopback#(direct)#up%2Fm',
    ])
  })

  it('counts what the default answers under its name, and what a client names itself apart', async () => {
    await using upstream = await startUpstream([chatCompletion('here')])
    const { clock, store } = createWorld()
    const config = {
      providers: { up: { baseUrl: upstream.url, key: false } },
      models: { chat: { tiers: [['up/m']] } },
      default: 'chat',
      settings: { direct_models: true },
    }
    await using gateway = await startGateway(config, {}, { clock, store })
    for (const model of ['gpt-nobody-knows', 'up/m', 'chat', 'chat']) {
      await ask(gateway, { model })
      await gateway.settled()
      clock.pass(11_000)
    }
    const rows = await readUsage(store, FIRST, LAST)
    expect(rows.map(({ model, requests }) => `${model} ${requests}`).toSorted()).toEqual([
      '(direct) 1',
      'chat 3',
    ])
  })

  it('costs one write an item in ten seconds, and none before the answer', async () => {
    await using upstream = await startUpstream([chatCompletion('here')])
    const { clock, store } = createWorld()
    const config = {
      providers: { up: { baseUrl: upstream.url, key: false } },
      models: { chat: { tiers: [['up/m']] } },
    }
    await using gateway = await startGateway(config, {}, { clock, store })
    for (let index = 0; index < 60; index += 1) {
      await ask(gateway)
      clock.pass(1_000)
    }
    await gateway.settled()
    clock.pass(10_000)
    await ask(gateway)
    await gateway.settled()
    expect(store.calls('addUsage')).toBeLessThanOrEqual(8)
    expect(await readUsage(store, FIRST, LAST)).toMatchObject([{ caller: 'loopback', requests: 61 }])
  })

  it('goes on where the table is away, and says so', async () => {
    await using upstream = await startUpstream([chatCompletion('here')])
    const { clock, store } = createWorld()
    const config = {
      providers: { up: { baseUrl: upstream.url, key: false } },
      models: { chat: { tiers: [['up/m']] } },
    }
    await using gateway = await startGateway(config, {}, { clock, store })
    store.fail('refuse')
    expect((await ask(gateway)).status).toBe(200)
    await gateway.settled()
    expect(gateway.lines).toContainEqual({ event: 'state-error', error: 'addUsage failed: refuse' })
  })
})
