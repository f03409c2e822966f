import { createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createLocalLog } from '../../infra/local/local-log.ts'
import { type LocalServer, listenOnLoopback } from '../../infra/local/loopback-server.ts'
import { createRequestMemory, requestRoute } from '../../infra/local/request-memory.ts'
import { completedRequest } from './completed-request.ts'

let server: LocalServer | undefined
afterEach(() => server?.close())

test('keeps the newest requests up to its limit', () => {
  const memory = createRequestMemory(2)
  for (const requestId of ['a', 'b', 'a', 'c']) memory.remember(completedRequest({ requestId }))
  expect(['a', 'b', 'c'].map(id => memory.find(id)?.requestId)).toEqual(['a', undefined, 'c'])
})

test('an id that is used again means its last request', () => {
  const memory = createRequestMemory()
  memory.remember(completedRequest({ status: 500 }))
  memory.remember(completedRequest({ status: 200 }))
  expect(memory.find('request-1')?.status).toBe(200)
})

test('the route answers what is remembered, and leaves every other path alone', async () => {
  const memory = createRequestMemory()
  memory.remember(completedRequest({ requestId: 'with space/é' }))
  const route = requestRoute(memory)
  const http = createServer((request, response) => {
    if (!route(request, response)) response.writeHead(418).end()
  })
  server = await listenOnLoopback(http, 0)
  const get = (path: string): Promise<Response> => fetch(`${server?.url}/local/requests${path}`)
  const found = await get(`/${encodeURIComponent('with space/é')}`)
  expect(await found.json()).toEqual(completedRequest({ requestId: 'with space/é' }))
  expect([(await get('/unknown')).status, (await get('/%zz')).status]).toEqual([404, 404])
  expect([(await get('')).status, (await get('/a/b')).status]).toEqual([418, 418])
})

test('the log remembers requests and shows people a line for each, programs everything', () => {
  const memory = createRequestMemory()
  const shown: string[] = []
  const write = (line: string): void => void shown.push(line)
  const people = createLocalLog({ memory, json: false, write })
  people(completedRequest())
  people({ event: 'state-garbage', count: 1 })
  people({ event: 'internal-error', requestId: 'r', error: 'Error: boom' })
  expect(memory.find('request-1')).toEqual(completedRequest())
  expect(shown).toEqual([expect.stringContaining('groq/llama-3.1-8b-instant ok'), 'Error: boom'])

  const programs = createLocalLog({ memory, json: true, write })
  programs({ event: 'state-garbage', count: 1 })
  programs(completedRequest())
  expect(shown.slice(2).map(line => JSON.parse(line) as unknown)).toEqual([
    { event: 'state-garbage', count: 1 },
    completedRequest(),
  ])
})
