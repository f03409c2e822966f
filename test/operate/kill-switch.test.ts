import { afterEach, expect, test } from 'vitest'
import { createRequestMemory } from '../../infra/local/request-memory.ts'
import { startLocalGateway } from '../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import type { MemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'
import { runCommand } from './run-command.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
})

function opened<Resource extends AsyncDisposable>(resource: Resource): Resource {
  open.push(resource)
  return resource
}

/** An endpoint that is dead and one that works, in two tiers of `chat`. */
async function startUpstreams() {
  const dead = opened(await startUpstream([errorAnswer(404, { message: 'model m is not available' })]))
  const works = opened(await startUpstream([chatStream(['here'])]))
  return { dead, config: configOf({ dead: dead.url, works: works.url }, [['dead/m'], ['works/m']]) }
}

const chainOf = async (gateway: { url: string }): Promise<string> =>
  ((await ask(gateway)).headers.get('x-backstop-chain') ?? '').replaceAll(/;[^ ]*/g, '')
const BOTH = 'dead/m > works/m'

const endpointItems = (store: MemoryStore) => store.items().filter(item => item.kind === 'endpoint')

test('ENDPOINT_HEALTH_DISABLED=1: nothing is counted, skipped or probed', async () => {
  const { dead, config } = await startUpstreams()
  const world = createWorld()
  const { store } = world
  const remembering = opened(await startGateway(config, {}, world))
  for (const _ of [1, 2]) await ask(remembering)
  await expect.poll(() => endpointItems(store)).toHaveLength(1)
  for (const _ of [1, 2]) await remembering.probe()
  const quarantined = endpointItems(store)[0] ?? expect.fail('nothing is remembered')
  expect(quarantined.health.state).toBe('quarantined')
  const counters = () => store.counts(quarantined.key)
  const evidence = counters()
  expect(evidence).not.toEqual({})

  const disabled = opened(await startGateway(config, { ENDPOINT_HEALTH_DISABLED: '1' }, world))
  for (const _ of [1, 2, 3, 4, 5]) expect(await chainOf(disabled)).toBe(BOTH)
  const calls = dead.calls()
  expect(await disabled.probe()).toMatchObject({ probes: [] })
  expect(dead.calls()).toBe(calls)
  expect(endpointItems(store)).toEqual([quarantined])
  expect(counters()).toEqual(evidence)
  expect(disabled.handlerErrors).toEqual([])
})

test('npm run set -- endpoint_health_disabled=true does the same while the gateway runs', async () => {
  const { dead, config } = await startUpstreams()
  const gateway = await startLocalGateway({
    config: parseGatewayConfig(config),
    variables: {},
    port: 0,
    memory: createRequestMemory(),
    log: () => {},
    onHandlerError: error => expect.fail(String(error)),
  })
  open.push({ [Symbol.asyncDispose]: () => gateway.close() })
  const { url } = gateway.facts
  const run = (command: string, ...args: string[]) =>
    runCommand(`infra/operate/commands/${command}.ts`, [...args, '--url', url])
  const items = async () => {
    const body = (await (await fetch(`${url}/local/state`)).json()) as { items: { pk: string; sk: string }[] }
    // What calls did not answer is counted all the same, some seconds later.
    return body.items.filter(({ pk, sk }) => pk === 'state' && sk.startsWith('endpoint#dead'))
  }

  const healths = async () =>
    ((await (await fetch(`${url}/v1/endpoints`)).json()) as { data: { health: string }[] }).data

  await run('quarantine', 'dead/m')
  // Without a call, which would be counted some seconds later.
  await expect.poll(healths).toContainEqual(expect.objectContaining({ health: 'quarantined' }))
  expect(await chainOf({ url })).toBe('works/m')
  expect(dead.calls()).toBe(0)
  await run('set', 'endpoint_health_disabled=true')
  await expect.poll(() => chainOf({ url })).toBe(BOTH)
  const [before, calls] = [await items(), dead.calls()]
  const { code, stdout } = await run('probe', '--force')
  expect([code, stdout]).toEqual([0, 'Nothing is probed: endpoint_health_disabled is on.\n'])
  expect(dead.calls()).toBe(calls)
  for (const _ of [1, 2, 3]) expect(await chainOf({ url })).toBe(BOTH)
  expect(await items()).toEqual(before)
  expect((await run('status')).stdout).toContain('endpoint_health_disabled is on')
  await run('set', 'endpoint_health_disabled=')
  await expect.poll(() => chainOf({ url })).toBe('works/m')
})
