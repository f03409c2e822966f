import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { listenOnLoopback } from '../../support/upstreams/listen-on-loopback.ts'
import { endAfterEach } from '../instances/end-after-each.ts'
import { startProcessFleet } from '../instances/process-fleet.ts'
import { openStore } from '../instances/read-counters.ts'
import { DYNAMO_NAME, startSharedDynamo } from '../instances/shared-dynamo.ts'

const FREEZES = 3
const FROZEN_MS = 2_000
/** A local gateway writes what was used up to a quarter of a second after the answer; a function is frozen only after it. */
const WRITTEN_MS = 1_000

const open = endAfterEach()
let dynamo: EmbeddedDynamo
beforeAll(async () => {
  dynamo = await startSharedDynamo()
}, 300_000)
afterAll(() => dynamo.close())

/** A healthy upstream that can hang up on whoever is connected, and counts connections. */
async function startIdleUpstream() {
  const { chunks = [], headers } = chatStream(['here'])
  let connections = 0
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(200, headers).end(chunks.join('')))
  })
  server.on('connection', () => void (connections += 1))
  server.keepAliveTimeout = 0
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    connections: () => connections,
    hangUp: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

it(`a thawed process holds dead sockets against nobody, neither upstream nor ${DYNAMO_NAME}`, async () => {
  const upstream = open(await startIdleUpstream())
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
  const [gateway] = fleet.processes
  if (!gateway) throw new Error('no process')
  await gateway.serve()
  expect((await gateway.serve()).content).toBe('here')
  expect(upstream.connections()).toBe(1)

  for (let freezes = 1; freezes <= FREEZES; freezes += 1) {
    await sleep(WRITTEN_MS)
    upstream.hangUp()
    gateway.hangUp()
    await sleep(FROZEN_MS)
    const answer = await gateway.serve()
    expect(answer).toMatchObject({ status: 200, content: 'here' })
    expect(answer.headers.get('x-backstop-attempts')).toBe('1')
    expect(upstream.connections()).toBe(1 + freezes)
  }

  const { store, close } = openStore(dynamo.endpoint)
  open({ [Symbol.asyncDispose]: async () => close() })
  expect((await store.readState()).items).toEqual([])
  // A table that a busy machine keeps from answering in time is no dead socket.
  const errors = fleet.linesOf('state-error').map(({ error }) => String(error))
  expect(errors.filter(error => !/TIMEDOUT|Timeout|Abort/.test(error))).toEqual([])
}, 300_000)
