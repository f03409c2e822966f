import { describe, expect, it, test } from 'vitest'
import { GatewayError } from '../../lambdas/core/routing/gateway-error.ts'
import { unknownModel } from '../../lambdas/core/routing/unknown-model.ts'
import { createRouter, type Route, type RouteTools } from '../../lambdas/http/routes.ts'
import type { Reply } from '../../lambdas/http/replies/reply.ts'
import { functionUrlEvent } from '../support/function-url-event.ts'
import { emptySnapshot } from '../core/build.ts'
import { wholeAnswer } from './whole-answer.ts'

const aliases = ['gpt-4o', 'meta/llama 3']
const TOOLS: RouteTools = {
  countTokens: async () => null,
  beginTrace: () => undefined,
  keys: { advice: () => 'Set one.' },
  chains: { aliasesFor: () => aliases, closest: () => 'gpt-4o' },
  memory: {
    describe: () => Promise.resolve({ rows: [], readAt: null }),
    snapshot: () => Promise.resolve(emptySnapshot()),
  },
  orderOf: () => Promise.reject(unknownModel('x', null)),
  modelsOf: () => Promise.resolve([]),
  serve: async (_, parse) => wholeAnswer(await parse(), { answered: true }),
  now: () => 1_000,
  after: () => () => undefined,
}
const invocation = { client: new AbortController().signal, startedAt: 1_000, endsAt: 61_000 }
const eventOf = (method: string, path: string) =>
  functionUrlEvent({ method, path, body: { model: 'm', messages: [{ role: 'user' }] } })
const routeOf = (method: string, path: string): Route => createRouter(TOOLS)(eventOf(method, path))
const ask = async (method: string, path: string, tools: Partial<RouteTools> = {}): Promise<Reply> => {
  const event = eventOf(method, path)
  return createRouter({ ...TOOLS, ...tools })(event).reply({ event, caller: { name: 'a' }, invocation })
}
const bodyOf = (reply: Reply): unknown => JSON.parse(typeof reply.body === 'string' ? reply.body : '{}')

describe('a route', () => {
  test('GET /v1/endpoints tells what the fleet remembers', async () => {
    expect(bodyOf(await ask('GET', '/v1/endpoints'))).toEqual({
      object: 'list',
      mode: 'normal',
      table_read_at: null,
      models: [],
      data: [],
    })
  })

  test('GET /v1/endpoints says when the table could be read last', async () => {
    const memory = { ...TOOLS.memory, describe: () => Promise.resolve({ rows: [], readAt: 7 }) }
    expect(bodyOf(await ask('GET', '/v1/endpoints', { memory }))).toMatchObject({ table_read_at: 7 })
  })

  test.each(['/v1/chat/completions', '/v1/chat/completions/'])('POST %s is a chat', async path => {
    expect(bodyOf(await ask('POST', path))).toEqual({ answered: true })
    expect(routeOf('POST', path).surface?.path).toBe('/v1/chat/completions')
  })

  test.each(['/v1/models', '/v1/models/'])('GET %s lists the aliases', async path => {
    const reply = await ask('GET', path)
    expect(reply.status).toBe(200)
    expect(bodyOf(reply)).toEqual({
      object: 'list',
      data: aliases.map(id => ({ id, object: 'model', created: 0, owned_by: 'backstop' })),
    })
  })

  test.each([
    ['/v1/models/gpt-4o', 'gpt-4o'],
    ['/v1/models/gpt-4o/', 'gpt-4o'],
    ['/v1/models/meta%2Fllama%203', 'meta/llama 3'],
    ['/v1/models/meta/llama%203', 'meta/llama 3'],
  ])('GET %s shows one alias', async (path, id) => {
    expect(bodyOf(await ask('GET', path))).toMatchObject({ id, object: 'model' })
  })

  test.each(['/healthz', '/healthz/'])('GET %s is alive', async path => {
    expect(bodyOf(await ask('GET', path))).toEqual({ status: 'ok' })
    expect(routeOf('GET', path).open).toBe(true)
    expect(routeOf('HEAD', path).open).toBe(true)
  })

  test.each([
    ['POST', '/healthz'],
    ['GET', '/v1/healthz'],
    ['GET', '/healthz/../v1/models'],
    ['POST', '/v1/chat/completions'],
    ['GET', '/v1/endpoints'],
    ['GET', '/nothing'],
  ])('%s %s needs a client key', (method, path) => {
    expect(routeOf(method, path).open).toBe(false)
  })
})

describe('an unknown alias', () => {
  test.each(['/v1/models/nobody', '/v1/models/%E0%A4%A', '/v1/models/constructor'])(
    '%s is not found',
    async path => {
      await expect(ask('GET', path)).rejects.toMatchObject({ code: 'model_not_found', param: 'model' })
    },
  )
})

describe('an unknown route', () => {
  const rows: [string, string, RegExp][] = [
    ['GET', '/', /No route GET \/\. Served: POST \/v1\/chat\/completions/],
    ['GET', '/v1/chat/completions', /Served: POST \/v1\/chat\/completions/],
    ['POST', '/v1/models', /Served: .*GET \/v1\/models/],
    ['DELETE', '/v1/models/gpt-4o', /No route DELETE/],
    ['POST', '/chat/completions', /base URL end in \/v1: POST \/v1\/chat\/completions\./],
    ['GET', '/models', /base URL end in \/v1: GET \/v1\/models\./],
    ['POST', '/V1/chat/completions', /No route/],
    ['POST', '/v1/completions', /Use POST \/v1\/chat\/completions/],
    ['GET', '/constructor', /No route GET \/constructor\. Served/],
  ]
  test.each(rows)('%s %s is refused with a hint', async (method, path, hint) => {
    await expect(ask(method, path)).rejects.toMatchObject({
      code: 'unknown_route',
      message: expect.stringMatching(hint),
    })
  })

  it('is not repeated at length', async () => {
    const refusal: unknown = await ask('GET', `/${'x'.repeat(5_000)}`).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(GatewayError)
    expect(String(refusal).length).toBeLessThan(400)
  })
})
