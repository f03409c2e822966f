import { describe, expect, it, test } from 'vitest'
import { createApi, type ApiOptions, type Invocation } from '../../lambdas/http/create-api.ts'
import { parseChatRequest } from '../../lambdas/http/parse-chat-request.ts'
import { jsonReply, type Reply } from '../../lambdas/http/reply.ts'
import { functionUrlEvent, type EventOptions } from '../support/function-url-event.ts'

const KEY = { authorization: 'Bearer right' }
const HEALTH = { method: 'GET', path: '/healthz' }
const invocation: Invocation = { client: new AbortController().signal, startedAt: 1_000, endsAt: 61_000 }

/** An api that echoes the alias, and everything it reported. */
function apiWith(overrides: Partial<ApiOptions> = {}) {
  const reported: unknown[] = []
  const refused: string[] = []
  const looked: string[] = []
  const api = createApi({
    acceptsClientKey: presented => presented === 'right',
    aliases: ['gpt-4o'],
    look: () => looked.push('looked'),
    endpoints: () => Promise.resolve([]),
    closestAlias: () => 'gpt-4o',
    chat: event => Promise.resolve(jsonReply(200, { alias: parseChatRequest(event, 'id').alias })),
    reportError: error => reported.push(error),
    reportRefusal: ({ code }) => refused.push(code),
    ...overrides,
  })
  const ask = (options: EventOptions): Promise<Reply> => api(functionUrlEvent(options), invocation)
  return { ask, reported, refused, looked }
}

const errorOf = ({ body }: Reply): Record<string, unknown> =>
  (JSON.parse(typeof body === 'string' ? body : '{}') as { error: Record<string, unknown> }).error

describe('the edge', () => {
  it('looks at the fleet for a caller it knows, and for nobody else', async () => {
    const { ask, looked } = apiWith()
    await ask(HEALTH)
    await ask({ headers: { authorization: 'Bearer wrong' } })
    expect(looked).toEqual([])
    await ask({ headers: KEY, body: 'not json' })
    expect(looked).toEqual(['looked'])
  })

  it('answers a chat', async () => {
    const { ask, reported } = apiWith()
    const reply = await ask({ headers: KEY, body: { model: 'gpt-4o', messages: [{ role: 'user' }] } })
    expect(reply).toMatchObject({ status: 200, body: '{"alias":"gpt-4o"}' })
    expect(reply.headers['content-type']).toBe('application/json')
    expect(reported).toEqual([])
  })

  it('hands over the event and what the invocation brought along, untouched', async () => {
    const asked: Invocation[] = []
    const { ask } = apiWith({
      chat: (_, { client, startedAt, endsAt }) => {
        asked.push({ client, startedAt, endsAt })
        return Promise.resolve(jsonReply(200, {}))
      },
    })
    await ask({ headers: KEY })
    expect(asked).toEqual([invocation])
    expect(asked[0]?.client).toBe(invocation.client)
  })

  it('keeps requests that overlap apart', async () => {
    const { ask } = apiWith()
    const bodies = ['a', 'b', 'c'].map(model => ({ model, messages: [{ role: 'user' }] }))
    const replies = await Promise.all(
      bodies.map(body => ask({ headers: { ...KEY, 'x-request-id': `id-${body.model}` }, body })),
    )
    expect(replies.map(({ body, headers }) => [body, headers['x-request-id']])).toEqual([
      ['{"alias":"a"}', 'id-a'],
      ['{"alias":"b"}', 'id-b'],
      ['{"alias":"c"}', 'id-c'],
    ])
  })
})

describe('a client key', () => {
  it('is not needed for the health check', async () => {
    expect((await apiWith().ask(HEALTH)).status).toBe(200)
  })

  test.each([
    ['a chat', {}],
    ['the aliases', { method: 'GET', path: '/v1/models' }],
    ['a route that does not exist', { path: '/v1/nothing' }],
    ['the health check by another method', { path: '/healthz' }],
  ])('is needed for %s', async (_, options) => {
    const reply = await apiWith().ask(options)
    expect(reply.status).toBe(401)
    expect(errorOf(reply)).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' })
  })

  it('is checked before the body is decoded, and is no reason for a report', async () => {
    const { ask, reported } = apiWith({ chat: () => expect.fail('the chat was asked') })
    expect((await ask({ body: '{{{ no JSON' })).status).toBe(401)
    expect((await ask({ body: 'x'.repeat(7 * 1024 * 1024) })).status).toBe(401)
    expect(reported).toEqual([])
  })

  it('is not asked for where the gateway has none', async () => {
    const { ask } = apiWith({ acceptsClientKey: null })
    expect((await ask({ method: 'GET', path: '/v1/models' })).status).toBe(200)
  })
})

describe('an error', () => {
  it('that was foreseen is told, with the field at fault, and not reported', async () => {
    const { ask, reported } = apiWith()
    const reply = await ask({ headers: KEY, body: { model: 'gpt-4o', messages: [] } })
    expect(reply.status).toBe(400)
    expect(errorOf(reply)).toMatchObject({ code: 'invalid_request', param: 'messages' })
    expect(reported).toEqual([])
  })

  const failing: [string, ApiOptions['chat']][] = [
    [
      'thrown',
      () => {
        throw new TypeError('secret detail')
      },
    ],
    ['rejected', () => Promise.reject(new RangeError('secret detail'))],
    [
      'thrown as a text',
      () => {
        throw 'secret detail'
      },
    ],
  ]
  test.each(failing)('that nobody foresaw, %s, is reported and not shown', async (_, chat) => {
    const { ask, reported } = apiWith({ chat })
    const reply = await ask({ headers: KEY })
    expect(reply.status).toBe(500)
    expect(errorOf(reply)).toMatchObject({ code: 'internal_error', type: 'server_error', attempts: [] })
    expect(reply.body).not.toContain('secret detail')
    expect(reported.map(String)).toEqual([expect.stringContaining('secret detail')])
  })
})

describe('x-request-id', () => {
  const rows: [string, EventOptions, number][] = [
    ['a good answer', { headers: KEY, body: { model: 'm', messages: [{ role: 'user' }] } }, 200],
    ['the health check', HEALTH, 200],
    ['a refused key', {}, 401],
    ['a broken body', { headers: KEY, body: '{' }, 400],
    ['an unknown route', { headers: KEY, path: '/v2' }, 404],
  ]
  test.each(rows)('is on %s', async (_, options, status) => {
    const named = { ...options, headers: { ...options.headers, 'x-request-id': 'mine' } }
    expect(await apiWith().ask(named)).toMatchObject({ status, headers: { 'x-request-id': 'mine' } })
    expect(await apiWith().ask(options)).toMatchObject({ status, headers: { 'x-request-id': 'platform-id' } })
  })

  it('is on an unforeseen error', async () => {
    const { ask } = apiWith({ chat: () => Promise.reject(new Error('oops')) })
    expect(await ask({ headers: KEY })).toMatchObject({
      status: 500,
      headers: { 'x-request-id': 'platform-id' },
    })
  })
})
