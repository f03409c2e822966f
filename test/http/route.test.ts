import { describe, expect, it, test } from 'vitest'
import { GatewayError } from '../../lambdas/http/gateway-error.ts'
import { jsonReply, type Reply } from '../../lambdas/http/reply.ts'
import { isHealthCheck, route } from '../../lambdas/http/route.ts'
import { functionUrlEvent } from '../support/function-url-event.ts'

const aliases = ['gpt-4o', 'meta/llama 3']
const answer = jsonReply(200, { answered: true })
const ask = (method: string, path: string): Promise<Reply> =>
  route(functionUrlEvent({ method, path }), {
    aliases,
    endpoints: () => Promise.resolve([{ endpoint: 'a/m', health: 'suspect' }]),
    closestAlias: () => 'gpt-4o',
    chat: () => Promise.resolve(answer),
  })
const bodyOf = (reply: Reply): unknown => JSON.parse(typeof reply.body === 'string' ? reply.body : '{}')

describe('a route', () => {
  test('GET /v1/endpoints tells what the fleet remembers', async () => {
    expect(bodyOf(await ask('GET', '/v1/endpoints'))).toEqual({
      object: 'list',
      data: [{ endpoint: 'a/m', health: 'suspect' }],
    })
  })

  test.each(['/v1/chat/completions', '/v1/chat/completions/'])('POST %s is a chat', async path => {
    expect(await ask('POST', path)).toBe(answer)
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
    expect(isHealthCheck(functionUrlEvent({ method: 'GET', path }))).toBe(true)
  })

  test.each([
    ['POST', '/healthz'],
    ['GET', '/v1/healthz'],
    ['GET', '/healthz/../v1/models'],
  ])('%s %s is no health check', (method, path) => {
    expect(isHealthCheck(functionUrlEvent({ method, path }))).toBe(false)
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
    ['POST', '/chat/completions', /Served: POST \/v1\/chat\/completions/],
    ['POST', '/V1/chat/completions', /No route/],
    ['POST', '/v1/embeddings', /vectors of different models/],
    ['POST', '/v1/embeddings/', /vectors of different models/],
    ['POST', '/v1/responses', /Use POST \/v1\/chat\/completions/],
    ['POST', '/v1/messages', /Use POST \/v1\/chat\/completions/],
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
