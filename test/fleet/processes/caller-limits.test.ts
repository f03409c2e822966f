import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import { dayOf } from '../../../lambdas/core/callers/usage-place.ts'
import { readUsage, type UsageRow } from '../../../lambdas/engine/callers/read-usage.ts'
import { chatCompletion } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../instances/end-after-each.ts'
import { startProcessFleet } from '../instances/process-fleet.ts'
import { openStore } from '../instances/read-counters.ts'
import { DYNAMO_NAME, startSharedDynamo } from '../instances/shared-dynamo.ts'

const PROCESSES = 8
const ALLOWED = 60
const SENT = 100
const PRICE = { input: 20, output: 100 }
/** 5 tokens in and 1 out, as the test upstreams count. */
const [TOKENS, DOLLARS] = [6, 0.0002]

const open = endAfterEach()
let dynamo: EmbeddedDynamo
beforeAll(async () => {
  dynamo = await startSharedDynamo()
}, 300_000)
afterAll(() => dynamo.close())

describe(`eight processes that run only while they serve, over one ${DYNAMO_NAME}`, () => {
  it('share the limits of a caller, and lose no count of what it used', async () => {
    const upstream = open(await startUpstream([chatCompletion('here')]))
    const fleet = open(
      await startProcessFleet({
        size: PROCESSES,
        configuration: {
          providers: { up: { baseUrl: upstream.url, key: false } },
          models: { chat: { tiers: [[{ endpoint: 'up/m', price: PRICE }]] } },
          // Windows of a day and a month: how long the processes take must not decide.
          clients: {
            loopback: {
              requestsPerDay: ALLOWED,
              tokensPerDay: 1_000_000,
              dollarsPerMonth: 100,
              concurrency: 20,
            },
          },
        },
        dynamo: dynamo.endpoint,
        variables: { STATE_WAIT_MS: '1000' },
      }),
    )
    const { store, close } = openStore(dynamo.endpoint)
    open({ [Symbol.asyncDispose]: async () => close() })

    const began = dayOf(Date.now())
    const answers = await fleet.serve(Array.from({ length: SENT }, () => ({ stream: false, max_tokens: 1 })))
    const served = answers.filter(({ status }) => status === 200).length
    const refused = answers.filter(({ status }) => status === 429).length
    expect(served + refused).toBe(SENT)

    // What the table did not take in time is missing there, and reported: none, unless the machine is very busy. A process
    // that has waited for it as long as a request may goes by what it knows: one request each may then be too many.
    const missed = fleet.linesOf('state-error').length
    // A write whose answer was lost may stand in the table all the same, and keep one request out.
    expect(served).toBeGreaterThanOrEqual(ALLOWED - missed)
    expect(served).toBeLessThanOrEqual(ALLOWED + PROCESSES + missed)
    process.stdout.write(
      `  ${PROCESSES} processes: ${served} of ${ALLOWED} served, ${missed} writes refused\n`,
    )
    expect(upstream.calls()).toBe(served)
    expect(fleet.linesOf('request-rejected').map(({ caller, code }) => `${caller} ${code}`)).toEqual(
      Array.from({ length: refused }, () => 'loopback client_limit_reached'),
    )

    const counters = await store.addUsage(
      { pk: 'usage#client#loopback', sk: 'limits' },
      {},
      [],
      Date.now() + 60_000,
    )
    const countedAs = (prefix: string): number =>
      Object.entries(counters).reduce((sum, [name, count]) => sum + (name.startsWith(prefix) ? count : 0), 0)
    const rows = await readUsage(store, began, dayOf(Date.now()))
    const recorded = rows.filter(({ caller }) => caller === 'loopback')
    const sumOf = (valueOf: (row: UsageRow) => number): number =>
      recorded.reduce((sum, row) => sum + valueOf(row), 0)
    const counts = [
      [countedAs('rd'), served],
      [countedAs('l'), 0],
      [countedAs('td') / TOKENS, served],
      [countedAs('dm') / DOLLARS, served],
      [sumOf(({ requests }) => requests), served],
      [sumOf(({ dollars }) => dollars) / DOLLARS, served],
    ] as const
    // A reservation that was not given back is one of a longer answer than the one that came.
    for (const [counted, sent] of counts)
      expect(Math.abs(counted - sent)).toBeLessThanOrEqual(2 * missed + 1e-6)
  }, 300_000)
})
