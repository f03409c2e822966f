import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import { createDynamoClients, type DynamoClients } from '../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../lambdas/store/dynamo-store.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { StoreError } from '../../lambdas/store/store-error.ts'
import { startMisbehavingDynamo, type MisbehavingDynamo, type Mode } from './misbehaving-dynamo.ts'
import { endpointItem, NOW } from './state-items.ts'
import { ACCESS } from './tables.ts'

/** As a function finds its table. */
const environmentOf = (endpoint: string) =>
  readEnvironment([], {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: ACCESS.region,
    AWS_ACCESS_KEY_ID: ACCESS.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ACCESS.credentials.secretAccessKey,
  })

let dynamo: MisbehavingDynamo
let clients: DynamoClients
let store: FleetStore
beforeEach(async () => {
  dynamo = await startMisbehavingDynamo()
  clients = createDynamoClients(environmentOf(dynamo.endpoint).sdkAccess('DYNAMODB'))
  store = createDynamoStore({ clients, table: 'table', now: () => NOW })
})
afterEach(async () => {
  clients.destroy()
  await dynamo.close()
})

/** Every method, with the operation that it sends and how often it may. */
const CALLS: readonly [run: () => Promise<unknown>, operation: string, most: number][] = [
  [() => store.readState(), 'Query', 2],
  [() => store.readCounts(['breaker#a#1']), 'BatchGetItem', 2],
  [() => store.addCounts('breaker#a#1', { f1: 1 }, [], NOW), 'UpdateItem', 1],
  [() => store.putStateItem(endpointItem('a'), null), 'PutItem', 1],
  [() => store.deleteStateItem('mode', 1), 'DeleteItem', 1],
]

const MODES: readonly Mode[] = [
  'slow',
  'stalled',
  'trickling',
  'cut',
  'throttled',
  'over capacity',
  'internal error',
  'access denied',
  'no table',
  'not JSON',
  'a web page',
]

/** All at once, because some of them wait for their limits. */
const runAll = (): Promise<unknown[]> => Promise.all(CALLS.map(([run]) => run().catch(error => error)))
const notStoreErrors = (outcomes: readonly unknown[]): unknown[] =>
  outcomes.filter(outcome => !(outcome instanceof StoreError))
const errors = (outcomes: readonly unknown[]): unknown[] =>
  outcomes.filter(outcome => outcome instanceof Error)

describe('every call fails as a StoreError, within its number of requests, and works again later', () => {
  it.each(MODES)('where the table answers: %s', async mode => {
    dynamo.mode = mode
    expect(notStoreErrors(await runAll())).toEqual([])
    const asked = Map.groupBy(dynamo.arrived, operation => operation)
    for (const [, operation, most] of CALLS) {
      expect([1, most]).toContain(asked.get(operation)?.length)
    }
    dynamo.mode = 'well'
    expect(errors(await runAll())).toEqual([])
  })

  it('where the table refuses connections', async () => {
    await dynamo.refuse()
    expect(notStoreErrors(await runAll())).toEqual([])
    await dynamo.accept()
    expect(errors(await runAll())).toEqual([])
  })
})

describe.each(['internal error', 'cut', 'slow', 'stalled'] as const)('a table that is once: %s', mode => {
  it('is asked again where that is a read', async () => {
    dynamo.next = [mode]
    await expect(store.readState()).resolves.toBeDefined()
    expect(dynamo.arrived).toEqual(['Query', 'Query'])
  })

  it('is not told twice to count: nobody knows whether it has', async () => {
    dynamo.next = [mode]
    await expect(store.addCounts('breaker#a#1', { f1: 1 }, [], NOW)).rejects.toBeInstanceOf(StoreError)
    expect(dynamo.arrived).toEqual(['UpdateItem'])
  })
})

describe('an answer that no table gives', () => {
  it.each(['empty', 'JSON of another shape'] as const)('(%s) is a StoreError, or nothing', async mode => {
    dynamo.mode = mode
    expect(notStoreErrors(errors(await runAll()))).toEqual([])
  })

  it('is never taken for a healthy fleet', async () => {
    dynamo.mode = 'empty'
    await expect(store.readState()).rejects.toBeInstanceOf(StoreError)
    await expect(store.addCounts('breaker#a#1', { f1: 1 }, [], NOW)).rejects.toBeInstanceOf(StoreError)
  })
})

it.each(['slow', 'throttled', 'not JSON'] as const)('a session fails like any other call: %s', async mode => {
  dynamo.mode = mode
  const record = { finished: ['call_1'], version: 1, expiresAt: NOW / 1_000 + 60 }
  const calls = [store.readSession('session#s'), store.putSession('session#s', record, null)]
  const outcomes = await Promise.all(calls.map(call => call.catch((error: unknown) => error)))
  expect(notStoreErrors(outcomes)).toEqual([])
  // A key of the table says who talks to whom: it is not told.
  expect(outcomes.map(String).join()).not.toContain('session#')
})

describe('an error of the store', () => {
  it('says what was being done and why it failed, and keeps its cause', async () => {
    dynamo.mode = 'over capacity'
    const error = await store.addCounts('breaker#a#1', { f1: 1 }, [], NOW).catch(found => found)
    expect(error).toMatchObject({
      name: 'StoreError',
      message: 'counting breaker#a#1 failed: ProvisionedThroughputExceededException',
      cause: { name: 'ProvisionedThroughputExceededException' },
    })
  })
})

describe('whether a write that failed may be repeated', () => {
  const countOnce = (): Promise<unknown> =>
    store.addUsage({ pk: 'usage#client#app', sk: 'limits' }, { rd1: 1 }, [], NOW).catch(error => error)
  const isUnwritten = async (writing: Promise<unknown>): Promise<unknown> =>
    Object.getOwnPropertyDescriptor(await writing, 'isUnwritten')?.value

  it.each<[Mode, boolean]>([
    ['throttled', true],
    ['over capacity', true],
    ['access denied', true],
    ['no table', true],
    ['cut', true],
    ['slow', false],
    ['stalled', false],
    ['trickling', false],
    ['internal error', false],
    ['a web page', false],
    ['not JSON', false],
  ])('is told by how the table answers: %s, %s', async (mode, expected) => {
    dynamo.mode = mode
    expect(await isUnwritten(countOnce())).toBe(expected)
  })

  it('is told where the time was over before anything was sent', async () => {
    const late = async () => {
      await sleep(50)
      return ACCESS.credentials
    }
    const hasty = createDynamoClients(
      { ...ACCESS, endpoint: dynamo.endpoint, credentials: late },
      { connectionMs: 10, requestMs: 10 },
    )
    const counting = createDynamoStore({ clients: hasty, table: 'table', now: () => NOW })
      .addUsage({ pk: 'usage#client#app', sk: 'limits' }, { rd1: 1 }, [], NOW)
      .catch((error: unknown) => error)
    expect(await isUnwritten(counting)).toBe(true)
    expect(dynamo.arrived).toEqual([])
    hasty.destroy()
  })

  it('is told where nothing listens, and where no connection is free', async () => {
    // As many as one client opens, and one more.
    dynamo.mode = 'slow'
    const all = await Promise.all(Array.from({ length: 51 }, () => isUnwritten(countOnce())))
    expect(all.filter(Boolean)).toHaveLength(1)
    await dynamo.refuse()
    expect(await isUnwritten(countOnce())).toBe(true)
  })
})

it('a call that hangs does not keep others from going through', async () => {
  dynamo.next = ['slow', 'slow']
  const hanging = store.readState().catch(error => error)
  while (dynamo.arrived.length === 0) await new Promise(resolve => setImmediate(resolve))
  const others = await Promise.all([
    store.readCounts(['breaker#a#1']),
    store.addCounts('breaker#a#1', {}, [], NOW),
  ])
  expect(others).toHaveLength(2)
  await hanging
})
