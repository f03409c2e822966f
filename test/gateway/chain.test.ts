import { afterEach, describe, expect, it, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { chatCompletion, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

async function upstream(script: UpstreamScript): Promise<ScriptedUpstream> {
  const started = await startUpstream(script, { clock })
  open.push(started)
  return started
}

async function gatewayOver(...[configuration, variables]: Parameters<typeof startGateway>) {
  const gateway = await startGateway(configuration, variables, { clock })
  open.push(gateway)
  return gateway
}

const healthy = () => chatStream(['all ', 'well'])
const unavailable = errorAnswer(400, { message: 'Model is unavailable.' })
const broken = errorAnswer(500, { message: 'The server had an error while processing your request.' })
const limited = (seconds: string) =>
  errorAnswer(429, { message: 'Rate limit reached', type: 'rate_limit_error' }, { 'retry-after': seconds })

/** The outcomes in `x-backstop-chain`. */
const outcomesOf = (chain: string | null): string[] =>
  (chain ?? '').split(' > ').map(hop => hop.split(';').slice(0, 2).join(' '))

describe('a chain', () => {
  it('asks a lone endpoint once more after a lone 500', async () => {
    const primary = await upstream([broken, healthy()])
    const gateway = await gatewayOver(configOf({ a: primary.url }, [['a/m']], { retry_base_ms: 0 }))
    const answer = await ask(gateway, { stream: true })
    expect(answer.content).toBe('all well')
    expect(outcomesOf(answer.headers.get('x-backstop-chain'))).toEqual(['a/m server_error', 'a/m ok'])
    expect(answer.headers.get('x-backstop-attempts')).toBe('2')
  })

  it('never beats on one provider while a replica is left', async () => {
    const primary = await upstream([broken])
    const replica = await upstream([healthy()])
    const gateway = await gatewayOver(configOf({ a: primary.url, b: replica.url }, [['a/m', 'b/m']]))
    const answer = await ask(gateway)
    expect(answer.content).toBe('all well')
    expect(primary.calls()).toBe(1)
    expect(answer.headers.get('x-backstop-served-by')).toBe('b/m')
    expect(answer.headers.get('x-backstop-tier')).toBe('1')
  })

  it('honours a stated wait within its patience, and degrades past it', async () => {
    const patient = await upstream([limited('1'), healthy()])
    const short = await gatewayOver(configOf({ a: patient.url }, [['a/m']]))
    expect((await ask(short)).content).toBe('all well')
    await expect.poll(() => short.completed[0]?.attempts[1]?.startedAfterMs).toBe(1_000)

    const distant = await upstream([limited('3600')])
    const backup = await upstream([healthy()])
    const long = await gatewayOver(configOf({ a: distant.url, b: backup.url }, [['a/m'], ['b/m']]))
    const answer = await ask(long)
    expect(answer.headers.get('x-backstop-tier')).toBe('2')
    expect(distant.calls()).toBe(1)
  })

  it('leaves the rest of the chain alone where the client wants the first endpoint only', async () => {
    const primary = await upstream([unavailable])
    const backup = await upstream([healthy()])
    const gateway = await gatewayOver(configOf({ a: primary.url, b: backup.url }, [['a/m'], ['b/m']]))
    const answer = await ask(gateway, {}, { 'x-backstop-fallback': 'off' })
    expect(answer.status).toBe(404)
    expect(backup.calls()).toBe(0)
  })

  it('passes the upstream a fitted body and leaves unknown fields alone', async () => {
    const primary = await upstream([healthy()])
    const gateway = await gatewayOver(configOf({ a: primary.url }, [['a/real-model']]))
    await ask(gateway, { stream: true, temperature: 0.5, exotic: { nested: [1, 2] } })
    expect(primary.requests[0]?.body).toMatchObject({
      model: 'real-model',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      exotic: { nested: [1, 2] },
    })
  })

  it('sends neither the client key nor our own headers upstream', async () => {
    const primary = await upstream([healthy()])
    const gateway = await gatewayOver(configOf({ a: primary.url }, [['a/m']]), {
      BACKSTOP_CLIENT_KEYS: 'ours',
    })
    const headers = { authorization: 'Bearer ours', 'x-backstop-session': 's', 'idempotency-key': 'i' }
    expect((await ask(gateway, {}, headers)).status).toBe(200)
    const sent = primary.requests[0]?.headers ?? {}
    expect(sent).not.toHaveProperty('authorization')
    expect(sent).not.toHaveProperty('x-backstop-session')
    expect(sent).not.toHaveProperty('idempotency-key')
  })
})

describe('several keys of one provider', () => {
  const keyed = (url: string, backup?: string) => ({
    providers: { a: { baseUrl: url }, ...(backup ? { b: { baseUrl: backup, key: false } } : {}) },
    models: { chat: { tiers: backup ? [['a/m'], ['b/m']] : [['a/m']] } },
    settings: { retry_max_attempts: 2 },
  })

  it('are rotated without spending attempts, and never shown', async () => {
    const primary = await upstream(request =>
      request.headers.authorization === 'Bearer sk-good-key-4444'
        ? healthy()
        : errorAnswer(402, { message: 'Insufficient Balance' }),
    )
    const keys = 'sk-dead-key-1111,sk-dead-key-2222,sk-dead-key-3333,sk-good-key-4444'
    const gateway = await gatewayOver(keyed(primary.url), { A_API_KEY: keys })
    const answer = await ask(gateway)
    expect(answer.content).toBe('all well')
    expect(primary.calls()).toBe(4)
    const everything = JSON.stringify([gateway.lines, answer.text, [...answer.headers]])
    for (const key of keys.split(',')) expect(everything).not.toContain(key)
  })

  it('lead to the next tier when all are refused', async () => {
    const primary = await upstream([
      errorAnswer(401, { message: 'Invalid API key', code: 'invalid_api_key' }),
    ])
    const backup = await upstream([healthy()])
    const gateway = await gatewayOver(keyed(primary.url, backup.url), { A_API_KEY: 'one,two' })
    const answer = await ask(gateway)
    expect(outcomesOf(answer.headers.get('x-backstop-chain'))).toEqual(['a/m auth', 'a/m auth', 'b/m ok'])
  })

  it('are asked for by name where there is none', async () => {
    const gateway = await gatewayOver(keyed('http://127.0.0.1:9/v1'))
    const answer = await ask(gateway)
    expect(answer.status).toBe(503)
    expect(answer.error?.code).toBe('no_provider_key')
    expect(answer.error?.message).toContain('A_API_KEY')
    expect(answer.headers.get('x-backstop-skipped')).toBe('a/m;no_key;')
  })
})

describe('when every endpoint is down', () => {
  it('the client gets one honest error that names each hop, and no SDK retries it', async () => {
    const gone = await upstream([unavailable])
    const dead = await upstream([{ fault: 'reset-before-headers' }])
    const baseUrls = { a: gone.url, b: dead.url }
    const gateway = await gatewayOver(configOf(baseUrls, [['a/m'], ['b/m']], { retry_max_attempts: 2 }))
    const answer = await ask(gateway, { stream: true })
    expect(answer.status).toBe(502)
    expect(answer.error).toMatchObject({
      type: 'upstream_error',
      code: 'upstream_failed',
      attempts: [
        { endpoint: 'a/m', kind: 'model_unavailable', status: 400 },
        { endpoint: 'b/m', kind: 'network', status: null },
      ],
    })
    expect(answer.error?.message).toContain('Model is unavailable.')
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(answer.headers.get('x-request-id')).toBeTruthy()
  })

  const verdicts: [string, UpstreamScript, number, string][] = [
    ['429 only where all was about rate', [limited('30')], 429, 'rate_limit_exceeded'],
    ['404 where the model is gone everywhere', [unavailable], 404, 'model_gone'],
    ['504 where the time ran out', [{ fault: 'no-response' }], 504, 'upstream_timeout'],
    ['502 for the rest', [{ status: 503, body: 'over' }], 502, 'upstream_failed'],
  ]
  test.each(verdicts)('it is %s', async (_, script, status, code) => {
    const [first, second] = [await upstream(script), await upstream(script)]
    const settings = { first_output_timeout_ms: 100, first_byte_deadline_ms: 300, retry_max_attempts: 2 }
    const gateway = await gatewayOver(configOf({ a: first.url, b: second.url }, [['a/m'], ['b/m']], settings))
    const answer = await ask(gateway)
    expect([answer.status, answer.error?.code]).toEqual([status, code])
    expect(answer.error?.attempts).toHaveLength(2)
  })

  it('says when to come back, by the soonest of them', async () => {
    const [first, second] = [await upstream([limited('90')]), await upstream([limited('20')])]
    const gateway = await gatewayOver(configOf({ a: first.url, b: second.url }, [['a/m'], ['b/m']]))
    const answer = await ask(gateway)
    expect(answer.headers.get('retry-after')).toBe('20')
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })
})

describe('the request itself at fault', () => {
  it('is told to the client, not shopped around', async () => {
    const filter = errorAnswer(400, { message: 'The response was filtered', code: 'content_filter' })
    const [primary, backup] = [await upstream([filter]), await upstream([healthy()])]
    const gateway = await gatewayOver(configOf({ a: primary.url, b: backup.url }, [['a/m'], ['b/m']]))
    const answer = await ask(gateway)
    expect([answer.status, answer.error?.code]).toEqual([400, 'content_filter'])
    expect(backup.calls()).toBe(0)
  })

  it('takes a prompt that was too long to a larger window, asking the small one once', async () => {
    const small = await upstream([
      errorAnswer(400, { message: 'maximum context length is 8192 tokens', code: 'context_length_exceeded' }),
    ])
    const large = await upstream([healthy()])
    const tiers = [['a/m'], [{ endpoint: 'b/m', contextWindow: 128_000 }]]
    const gateway = await gatewayOver(configOf({ a: small.url, b: large.url }, tiers))
    expect((await ask(gateway)).content).toBe('all well')
    expect(small.calls()).toBe(1)
  })

  it('is skipped past endpoints that declare they cannot', async () => {
    const [blind, seeing] = [await upstream([healthy()]), await upstream([healthy()])]
    const tiers = [[{ endpoint: 'a/m', vision: false, tools: false }], ['b/m']]
    const gateway = await gatewayOver(configOf({ a: blind.url, b: seeing.url }, tiers))
    const image = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }
    const answer = await ask(gateway, { messages: [{ role: 'user', content: [image] }] })
    expect(answer.headers.get('x-backstop-skipped')).toBe('a/m;no_vision;')
    expect(answer.headers.get('x-backstop-served-by')).toBe('b/m')
    expect(blind.calls()).toBe(0)
  })
})

describe('connections', () => {
  it('replays once, unseen, where a kept socket has gone stale', async () => {
    const primary = await upstream([{ fault: 'reset-reused-socket', otherwise: healthy() }])
    const gateway = await gatewayOver(configOf({ a: primary.url }, [['a/m']]))
    for (const _ of [1, 2]) {
      const answer = await ask(gateway)
      expect(answer.headers.get('x-backstop-attempts')).toBe('1')
      expect(answer.content).toBe('all well')
    }
  })

  it('are kept from one request to the next, streamed or not', async () => {
    const primary = await upstream(request => (request.body.stream ? healthy() : chatCompletion('all well')))
    const gateway = await gatewayOver(configOf({ a: primary.url }, [['a/m']]))
    for (const [index, stream] of [true, false, true, false].entries()) {
      await ask(gateway, { stream })
      // Lambda sends the next request only when this one is settled; loopback would race it.
      await expect.poll(() => gateway.completed.length).toBe(index + 1)
    }
    expect(primary.acceptedSockets).toBe(1)
  })
})

describe('a dry run', () => {
  it('answers with the plan and asks nobody', async () => {
    const primary = await upstream([healthy()])
    const tiers = [['a/m'], [{ endpoint: 'a/small', contextWindow: 1 }]]
    const gateway = await gatewayOver(configOf({ a: primary.url }, tiers))
    const answer = await ask(gateway, {}, { 'x-backstop-dry-run': '1' })
    expect(JSON.parse(answer.text)).toMatchObject({
      object: 'backstop.plan',
      candidates: [{ endpoint: 'a/m', tier: 1 }],
      skipped: [{ endpoint: 'a/small', tier: 2, reason: 'context_too_small' }],
    })
    expect(primary.calls()).toBe(0)
  })
})

describe('a buffered stream', () => {
  it('fails over although the first endpoint was cut in the middle', async () => {
    const cut = await upstream([{ ...chatStream(['half ', 'of '], { finish: null }), end: 'destroy' }])
    const whole = await upstream([healthy()])
    const gateway = await gatewayOver(configOf({ a: cut.url, b: whole.url }, [['a/m'], ['b/m']]))
    const answer = await ask(gateway, { stream: true }, { 'x-backstop-buffer': '1' })
    expect(answer.content).toBe('all well')
    expect(answer.done).toBe(true)
    expect(cut.calls()).toBe(1)
  })

  it('is what an alias can ask for', async () => {
    const cut = await upstream([chatStream(['half'], { finish: null })])
    const whole = await upstream([healthy()])
    const configuration = configOf({ a: cut.url, b: whole.url }, [['a/m'], ['b/m']])
    const models = { chat: { ...configuration.models.chat, buffer: true } }
    const gateway = await gatewayOver({ ...configuration, models })
    expect((await ask(gateway, { stream: true })).content).toBe('all well')
  })
})

it('a complaint behind a finish reason does not spoil an answer that was whole', async () => {
  const stream = chatStream(['all ', 'well'], { usage: null })
  const complaint = 'data: {"error":{"message":"worker lost","code":500}}\n\n'
  const chunks = [...(stream.chunks ?? []).slice(0, -1), complaint]
  const primary = await upstream([{ ...stream, chunks }])
  const gateway = await gatewayOver(configOf({ a: primary.url }, [['a/m']]))
  for (const streamed of [true, false]) {
    const answer = await ask(gateway, { stream: streamed })
    expect([answer.content, answer.error, answer.headers.get('x-backstop-attempts')]).toEqual([
      'all well',
      null,
      '1',
    ])
  }
})

it('a chat that is refused before any plan says that nobody was asked', async () => {
  const gateway = await gatewayOver(configOf({ a: 'http://127.0.0.1:9/v1' }, [['a/m']]))
  for (const body of [{ model: 'chta' }, { messages: [] }]) {
    const answer = await ask(gateway, body)
    expect(answer.headers.get('x-backstop-attempts')).toBe('0')
    expect(answer.headers.get('x-request-id')).toBeTruthy()
  }
})
