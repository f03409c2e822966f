import { describe, expect, it, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { chatCompletion } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { as, keysOf } from './named-callers.ts'

async function startTwo(config: object = {}) {
  const upstream = await startUpstream([chatCompletion('here')])
  const gateway = await startGateway(
    {
      providers: { up: { baseUrl: upstream.url, key: false } },
      models: {
        open: { tiers: [['up/open']] },
        'for-billing': { tiers: [['up/dear', 'up/open-too']], clients: ['billing'] },
        both: { tiers: [['up/open-too']] },
      },
      clients: { billing: {}, narrow: { models: ['open'] }, '*': {} },
      ...config,
    },
    {},
    { keys: keysOf('billing', 'narrow', 'stranger') },
  )
  const close = async () => {
    await gateway.close()
    await upstream.close()
  }
  return { gateway, upstream, [Symbol.asyncDispose]: close }
}

const modelsFor = async (url: string, name: string): Promise<unknown[]> => {
  const response = await fetch(`${url}/v1/models`, { headers: as(name) })
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
}

describe('the models that a caller may use', () => {
  it.each([
    ['billing', ['open', 'for-billing', 'both']],
    ['narrow', ['open']],
    ['stranger', ['open', 'both']],
  ])('are all that are listed for it: %s', async (name, models) => {
    await using two = await startTwo()
    expect(await modelsFor(two.gateway.url, name)).toEqual(models)
    const other = await fetch(`${two.gateway.url}/v1/models/for-billing`, { headers: as(name) })
    expect(other.status).toBe(name === 'billing' ? 200 : 404)
  })

  it('are answered, and another one is refused before any endpoint is called', async () => {
    await using two = await startTwo()
    expect((await ask(two.gateway, { model: 'open' }, as('narrow'))).status).toBe(200)
    const refused = await ask(two.gateway, { model: 'both' }, as('narrow'))
    expect(refused.status).toBe(403)
    expect(refused.error).toMatchObject({
      type: 'permission_error',
      code: 'model_not_allowed',
      param: 'model',
    })
    expect(refused.error?.message).toMatch(/'narrow' may not use the model 'both'. It may use 'open'\./)
    expect([refused.headers.get('x-should-retry'), refused.headers.get('retry-after')]).toEqual([
      'false',
      null,
    ])
    expect(two.upstream.calls()).toBe(1)
  })

  it('are the only ones that a hint for a mistyped name tells of', async () => {
    await using two = await startTwo()
    const refused = await ask(two.gateway, { model: 'for-biling' }, as('stranger'))
    expect([refused.status, refused.error?.message.includes('for-billing')]).toEqual([404, false])
  })

  it('are refused in the shape of the Messages API too', async () => {
    await using two = await startTwo()
    const response = await fetch(`${two.gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('narrow') },
      body: JSON.stringify({ model: 'both', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'permission_error', code: 'model_not_allowed' },
    })
  })
})

describe('where callers may name endpoints themselves', () => {
  test.each([
    ['billing', 'up/dear', 200],
    ['stranger', 'up/dear', 403],
    ['stranger', 'up/open-too', 200],
    ['stranger', 'up/elsewhere', 200],
    ['narrow', 'up/open', 403],
  ])('%s gets %s: %d', async (name, model, status) => {
    await using two = await startTwo({ settings: { direct_models: true } })
    expect((await ask(two.gateway, { model }, as(name))).status).toBe(status)
  })
})
