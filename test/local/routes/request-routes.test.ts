import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, listenLocally } from '../../../infra/local/loopback-server.ts'
import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { requestListRoute, requestRoute } from '../../../infra/local/routes/request-routes.ts'
import { requestLineSchema, requestRowsSchema } from '../../../infra/request-contract.ts'
import { completedRequest } from '../completed-request.ts'

const ODD_ID = 'with space/é'

let server: LocalServer
beforeAll(async () => {
  let instant = 1_000
  const memory = createRequestMemory(undefined, () => instant++)
  memory.remember(completedRequest({ requestId: ODD_ID, caller: 'billing', alias: 'other' }))
  memory.remember(completedRequest({ requestId: 'failed', outcome: 'failed', status: 503 }))
  memory.remember({ event: 'request-rejected', requestId: 'rejected', code: 'model_not_found', param: null })
  memory.remember(completedRequest({ requestId: 'cut', outcome: 'cut', code: 'stream_cut' }))
  const routes = [requestRoute(memory), requestListRoute(memory)]
  const http = createServer((request, response) => {
    if (!routes.some(route => route(request, response))) response.writeHead(418).end()
  })
  server = await listenLocally(http, 0)
})
afterAll(() => server.close())

const get = (path: string): Promise<Response> => fetch(`${server.url}/local/requests${path}`)

test('one request is answered by its id, and every other path is left alone', async () => {
  const found = requestLineSchema.parse(await (await get(`/${encodeURIComponent(ODD_ID)}`)).json())
  expect(found).toMatchObject({ requestId: ODD_ID, at: 1_000, outcome: 'answered' })
  expect(await (await get('/rejected')).json()).toMatchObject({
    code: 'model_not_found',
    status: 404,
    at: 1_002,
  })
  expect([(await get('/unknown')).status, (await get('/%zz')).status]).toEqual([404, 404])
  expect(await (await get('/unknown')).text()).toContain('npm run why -- last')
  expect([(await get('/a/b')).status, (await get('s')).status]).toEqual([418, 418])
})

describe('the list', () => {
  test.each([
    ['', ['cut', 'rejected', 'failed', ODD_ID]],
    ['?outcome=failed', ['failed']],
    ['?outcome=failed,cut&limit=1', ['cut']],
    ['?outcome=rejected', ['rejected']],
    ['?model=other', [ODD_ID]],
    ['?caller=billing', [ODD_ID]],
    ['?model=nothing', []],
  ])('%s holds the newest first', async (query, expected) => {
    const { data } = requestRowsSchema.parse(await (await get(query)).json())
    expect(data.map(({ requestId }) => requestId)).toEqual(expected)
  })

  test('tells what happened to each, and no more', async () => {
    const { data } = requestRowsSchema.parse(await (await get('?outcome=failed')).json())
    expect(data[0]).toMatchObject({ at: 1_001, alias: 'gpt-4o', status: 503, durationMs: 156 })
    expect(data[0]?.attempts.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`)).toEqual([
      'openai/gpt-4o rate_limit',
      'groq/llama-3.1-8b-instant ok',
    ])
    expect(JSON.stringify(data)).not.toContain('Rate limit reached')
  })

  test.each([
    ['?limit=0', 'limit: expected a whole number from 1 to 1000.'],
    ['?limit=ten', 'limit: expected a whole number from 1 to 1000.'],
    ['?outcome=failed,broken', 'outcome: expected one or several of answered, cut, failed'],
    ['?outcom=failed', 'There is no parameter "outcom".'],
  ])('%s is refused in words', async (query, expected) => {
    const response = await get(query)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toContain(expected)
  })
})
