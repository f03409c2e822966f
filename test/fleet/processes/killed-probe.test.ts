import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { endpointNamed } from '../../core/build.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../instances/end-after-each.ts'
import { createInstance } from '../instances/engine-instance.ts'
import { startProcessFleet } from '../instances/process-fleet.ts'
import { openStore } from '../instances/read-counters.ts'
import { DYNAMO_NAME, startSharedDynamo } from '../instances/shared-dynamo.ts'

const LEASE_MS = 45_000

const open = endAfterEach()
let dynamo: EmbeddedDynamo
beforeAll(async () => {
  dynamo = await startSharedDynamo()
}, 300_000)
afterAll(() => dynamo.close())

it(`a process killed while its probe hangs leaves a lease in ${DYNAMO_NAME}, and nothing else`, async () => {
  const upstream = open(await startUpstream([errorAnswer(404, { message: 'The model `m` does not exist' })]))
  const { store, close } = openStore(dynamo.endpoint)
  open({ [Symbol.asyncDispose]: async () => close() })
  const fleet = open(
    await startProcessFleet({
      size: 1,
      configuration: {
        providers: { up: { baseUrl: upstream.url, key: false } },
        models: { chat: { tiers: [['up/m']] } },
      },
      dynamo: dynamo.endpoint,
    }),
  )
  await fleet.serve([{}, {}])
  const suspect = async () => (await store.readState()).items.find(({ kind }) => kind === 'endpoint')
  expect(await suspect()).toMatchObject({ health: { state: 'suspect' }, leaseUntil: 0 })

  upstream.play([{ fault: 'no-response' }])
  const [gateway] = fleet.processes
  gateway?.thaw()
  const pass = fetch(`${gateway?.url}/local/probe`, { method: 'POST', body: '{"force": true}' })
  const end = pass.then(
    () => 'answered',
    () => 'died',
  )
  await expect.poll(() => upstream.calls()).toBe(3)
  await gateway?.kill()
  expect(await end).toBe('died')

  upstream.play([chatStream(['ok'])])
  const id = (await suspect())?.key.slice('endpoint#'.length) ?? ''
  const endpoints = [endpointNamed('up/m', { id, baseUrl: upstream.url })]
  const now = open(createInstance({ store, clock: systemClock, endpoints }))
  expect(await now.probe({ force: true })).toEqual([])
  expect(await suspect()).toMatchObject({ health: { state: 'suspect' } })
  const later = { ...systemClock, now: () => systemClock.now() + LEASE_MS }
  const next = open(createInstance({ store, clock: later, endpoints }))
  expect(await next.probe({ force: true })).toMatchObject([{ outcome: 'ok' }])
  expect(await suspect()).toBeUndefined()
}, 300_000)
