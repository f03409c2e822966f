import { describe, expect, it, test } from 'vitest'
import type { Invocation } from '../../lambdas/engine/request/run.ts'
import { createHandle, type HandleTools } from '../../lambdas/http/handle.ts'
import type { Reply } from '../../lambdas/http/replies/reply.ts'
import { functionUrlEvent, type EventOptions } from '../support/function-url-event.ts'
import { emptySnapshot } from '../core/build.ts'
import { wholeAnswer } from './whole-answer.ts'

const KEY = { authorization: 'Bearer right' }
const HEALTH = { method: 'GET', path: '/healthz' }
const invocation: Invocation = { client: new AbortController().signal, startedAt: 1_000, endsAt: 61_000 }

const KEYS: HandleTools['keys'] = {
  clientOf: presented => (presented === 'right' ? 'billing-app' : null),
  ready: () => Promise.resolve(true),
  advice: () => 'Set one.',
}

/** An edge that echoes the alias and the caller, and everything it logged. */
function edgeWith(overrides: Partial<HandleTools> = {}) {
  const lines: object[] = []
  const looked: string[] = []
  const handle = createHandle({
    keys: KEYS,
    chains: { aliasesFor: () => ['gpt-4o'], closest: () => 'gpt-4o' },
    memory: {
      look: () => looked.push('looked'),
      describe: () => Promise.resolve({ rows: [], readAt: null }),
      snapshot: () => Promise.resolve(emptySnapshot()),
    },
    countTokens: async () => null,
    beginTrace: () => undefined,
    orderOf: () => Promise.reject(new Error('not asked for')),
    modelsOf: () => Promise.resolve([]),
    async serve(_, parse) {
      const request = await parse()
      return wholeAnswer(request, { alias: request.alias, caller: request.caller.name })
    },
    now: () => 1_000,
    after: () => () => undefined,
    log: line => void lines.push(line),
    ...overrides,
  })
  const ask = (options: EventOptions): Promise<Reply> => handle(functionUrlEvent(options), invocation)
  const internal = () => lines.filter(line => 'event' in line && line.event === 'internal-error')
  return { ask, lines, internal, looked }
}

const errorOf = ({ body }: Reply): Record<string, unknown> =>
  (JSON.parse(typeof body === 'string' ? body : '{}') as { error: Record<string, unknown> }).error

describe('the edge', () => {
  it('looks at the fleet for a caller it knows, and for nobody else', async () => {
    const { ask, looked } = edgeWith()
    await ask(HEALTH)
    await ask({ headers: { authorization: 'Bearer wrong' } })
    expect(looked).toEqual([])
    await ask({ headers: KEY, body: 'not json' })
    expect(looked).toEqual(['looked'])
  })

  it('answers a chat, and knows who asked', async () => {
    const { ask, lines } = edgeWith()
    const reply = await ask({ headers: KEY, body: { model: 'gpt-4o', messages: [{ role: 'user' }] } })
    expect(reply).toMatchObject({ status: 200, body: '{"alias":"gpt-4o","caller":"billing-app"}' })
    expect(reply.headers['content-type']).toBe('application/json')
    expect(lines).toEqual([])
  })

  it('hands over what the invocation brought along, and the keys that were shown', async () => {
    const served: Invocation[] = []
    const { ask } = edgeWith({
      async serve(given, parse) {
        served.push(given)
        return wholeAnswer(await parse(), {})
      },
    })
    await ask({ headers: KEY, body: { model: 'm', messages: [{ role: 'user' }] } })
    expect(served).toEqual([{ ...invocation, presentedKeys: ['right'] }])
    expect(served[0]?.client).toBe(invocation.client)
  })

  it('keeps requests that overlap apart', async () => {
    const { ask } = edgeWith()
    const bodies = ['a', 'b', 'c'].map(model => ({ model, messages: [{ role: 'user' }] }))
    const replies = await Promise.all(
      bodies.map(body => ask({ headers: { ...KEY, 'x-request-id': `id-${body.model}` }, body })),
    )
    expect(replies.map(({ body, headers }) => [body, headers['x-request-id']])).toEqual([
      ['{"alias":"a","caller":"billing-app"}', 'id-a'],
      ['{"alias":"b","caller":"billing-app"}', 'id-b'],
      ['{"alias":"c","caller":"billing-app"}', 'id-c'],
    ])
  })
})

describe('a client key', () => {
  it('is not needed for the health check', async () => {
    expect((await edgeWith().ask(HEALTH)).status).toBe(200)
  })

  test.each([
    ['a chat', {}],
    ['the aliases', { method: 'GET', path: '/v1/models' }],
    ['a route that does not exist', { path: '/v1/nothing' }],
    ['the health check by another method', { path: '/healthz' }],
  ])('is needed for %s', async (_, options) => {
    const reply = await edgeWith().ask(options)
    expect(reply.status).toBe(401)
    expect(errorOf(reply)).toMatchObject({ code: 'invalid_api_key', type: 'authentication_error' })
  })

  it('is checked before the body is decoded, and is no reason for a report', async () => {
    const { ask, internal } = edgeWith({ serve: () => expect.fail('the request was served') })
    expect((await ask({ body: '{{{ no JSON' })).status).toBe(401)
    expect((await ask({ body: 'x'.repeat(7 * 1024 * 1024) })).status).toBe(401)
    expect(internal()).toEqual([])
  })

  it('is not asked for where the gateway has none', async () => {
    const { ask } = edgeWith({ keys: { ...KEYS, clientOf: null } })
    expect((await ask({ method: 'GET', path: '/v1/models' })).status).toBe(200)
  })
})

describe('an error', () => {
  it('that was foreseen is told, with the field at fault, and not reported', async () => {
    const { ask, lines } = edgeWith()
    const reply = await ask({ headers: KEY, body: { model: 'gpt-4o', messages: [] } })
    expect(reply.status).toBe(400)
    expect(errorOf(reply)).toMatchObject({ code: 'invalid_request', param: 'messages' })
    expect(reply.headers).toMatchObject({ 'x-should-retry': 'false', 'x-backstop-attempts': '0' })
    expect(lines).toEqual([
      {
        event: 'request-rejected',
        requestId: 'platform-id',
        caller: 'billing-app',
        code: 'invalid_request',
        param: 'messages',
      },
    ])
  })

  const failing: [string, HandleTools['serve']][] = [
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
  test.each(failing)('that nobody foresaw, %s, is logged and not shown', async (_, serve) => {
    const { ask, internal } = edgeWith({ serve })
    const reply = await ask({ headers: KEY })
    expect(reply.status).toBe(500)
    expect(errorOf(reply)).toMatchObject({
      code: 'internal_error',
      type: 'server_error',
      message: 'Internal gateway error; see the log for request ID platform-id.',
      attempts: [],
    })
    expect(reply.body).not.toContain('secret detail')
    expect(internal()).toEqual([
      {
        event: 'internal-error',
        requestId: 'platform-id',
        error: expect.stringContaining('secret detail') as string,
      },
    ])
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
    expect(await edgeWith().ask(named)).toMatchObject({ status, headers: { 'x-request-id': 'mine' } })
    expect(await edgeWith().ask(options)).toMatchObject({
      status,
      headers: { 'x-request-id': 'platform-id' },
    })
  })

  it('is on an unforeseen error', async () => {
    const { ask } = edgeWith({ serve: () => Promise.reject(new Error('oops')) })
    expect(await ask({ headers: KEY })).toMatchObject({
      status: 500,
      headers: { 'x-request-id': 'platform-id' },
    })
  })
})
