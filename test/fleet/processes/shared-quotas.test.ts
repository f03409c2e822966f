import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import { quotaKey } from '../../../lambdas/core/item-keys.ts'
import { totalName } from '../../../lambdas/core/quota/quota-counters.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../instances/end-after-each.ts'
import { startProcessFleet } from '../instances/process-fleet.ts'
import { openStore } from '../instances/read-counters.ts'
import { DYNAMO_NAME, startSharedDynamo } from '../instances/shared-dynamo.ts'

const PROCESSES = 8
const LIMIT = 40
const REQUESTS = 60
/** Longer than what is counted far from the limit waits to be written. */
const FLUSH_MS = 1_100

const open = endAfterEach()
let dynamo: EmbeddedDynamo
beforeAll(async () => {
  dynamo = await startSharedDynamo()
}, 300_000)
afterAll(() => dynamo.close())

describe(`eight processes that run only while they serve, over one ${DYNAMO_NAME}`, () => {
  it('spend a quota of a day together, to its last request and no further, and lose no count', async () => {
    const up = open(await startUpstream([chatStream(['here'])]))
    const other = open(await startUpstream([chatStream(['there'])]))
    const configuration = {
      providers: {
        up: { baseUrl: up.url, key: false, quotas: { requestsPerDay: LIMIT } },
        other: { baseUrl: other.url, key: false },
      },
      models: { chat: { tiers: [['up/m'], ['other/m']] } },
    }
    const fleet = open(
      await startProcessFleet({
        size: PROCESSES,
        configuration,
        dynamo: dynamo.endpoint,
        // A busy machine must not decide how old a picture may be.
        variables: { STATE_WAIT_MS: '1000' },
      }),
    )
    const { store, close } = openStore(dynamo.endpoint)
    open({ [Symbol.asyncDispose]: async () => close() })

    const answers = await fleet.serve(Array.from({ length: REQUESTS }, () => ({ model: 'chat' })))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: REQUESTS }, () => 200))
    // Where a claim takes longer than a request may wait for it, each process keeps to its share.
    const over = Math.max(0, up.calls() - LIMIT)
    expect(over).toBeLessThanOrEqual(PROCESSES)
    expect(up.calls()).toBeGreaterThanOrEqual(LIMIT - PROCESSES)

    await sleep(FLUSH_MS)
    await Promise.all(fleet.processes.map(process => process.serve({ model: 'chat' })))
    const [counters = {}] = await store.readQuotas([quotaKey('up', null, null)])
    const counted = counters[totalName('requestsPerDay')] ?? 0
    const unwritten = fleet
      .linesOf('state-error')
      .filter(({ error }) => String(error).startsWith('counting a quota')).length
    expect(Math.abs(counted - (up.calls() - over))).toBeLessThanOrEqual(unwritten)
    process.stdout.write(
      `  ${PROCESSES} processes: ${up.calls()} of ${LIMIT} a day used, ${counted} counted, ${unwritten} writes refused\n`,
    )
  }, 300_000)
})
