import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { parseJsonObject } from '../../lambdas/core/json.ts'
import { ask } from '../support/ask.ts'
import { foldAll } from '../support/fold-all.ts'
import { chatStream, errorAnswer, sseEvent } from '../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway, type TestGateway } from '../support/start-gateway.ts'
import { streamOf } from '../support/tool-calls.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()

async function gatewayOver(
  script: UpstreamScript,
  entry: object = {},
  settings: Record<string, unknown> = {},
): Promise<{ gateway: TestGateway; upstream: ScriptedUpstream; backup: ScriptedUpstream }> {
  const upstream = await startUpstream(script, { clock })
  const backup = await startUpstream([chatStream(['from ', 'the backup'])])
  const tiers = [[{ endpoint: 'a/m', ...entry }], ['b/m']]
  const gateway = await startGateway(
    configOf({ a: upstream.url, b: backup.url }, tiers, settings),
    {},
    { clock },
  )
  open.push(upstream, backup, gateway)
  return { gateway, upstream, backup }
}

const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm', system_fingerprint: 'fp_1' }
const usage = {
  prompt_tokens: 9,
  completion_tokens: 12,
  total_tokens: 21,
  completion_tokens_details: { reasoning_tokens: 4 },
}
const probe = (token: string): JsonObject => ({ token, logprob: -0.5, bytes: [1], top_logprobs: [] })

/** Everything at once: reasoning, content with its odds, calls side by side, a refusal. */
const WHOLE: JsonObject = {
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', reasoning_content: 'Let me see.', content: 'Good day' },
      logprobs: { content: [probe('Good'), probe(' day')] },
      finish_reason: 'stop',
    },
    {
      index: 1,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"Rome"}' } },
          { id: 'c2', type: 'function', function: { name: 'look', arguments: '{"at":"Bern"}' } },
        ],
      },
      finish_reason: 'tool_calls',
    },
    {
      index: 2,
      message: { role: 'assistant', content: null, refusal: 'I will not.' },
      finish_reason: 'stop',
    },
  ],
  usage,
}

const chunk = (index: number, delta: JsonObject, rest: JsonObject = {}): JsonObject => ({
  ...head,
  object: 'chat.completion.chunk',
  choices: [{ index, delta, finish_reason: null, ...rest }],
})
const call = (index: number, part: JsonObject): JsonObject => ({ tool_calls: [{ index, ...part }] })

/** The same in pieces, the choices in turns, as a host streams them. */
const PIECES: readonly JsonObject[] = [
  chunk(0, { role: 'assistant' }),
  chunk(1, { role: 'assistant', content: null }),
  chunk(2, { role: 'assistant', content: null }),
  chunk(0, { reasoning_content: 'Let me ' }),
  chunk(1, call(0, { id: 'c1', type: 'function', function: { name: 'look', arguments: '' } })),
  chunk(0, { reasoning_content: 'see.' }),
  chunk(2, { refusal: 'I will' }),
  chunk(1, call(0, { function: { arguments: '{"at":' } })),
  chunk(0, { content: 'Good' }, { logprobs: { content: [probe('Good')] } }),
  chunk(1, call(1, { id: 'c2', type: 'function', function: { name: 'look', arguments: '{"at":"B' } })),
  chunk(1, call(0, { function: { arguments: '"Rome"}' } })),
  chunk(2, { refusal: ' not.' }),
  chunk(0, { content: ' day' }, { logprobs: { content: [probe(' day')] } }),
  chunk(1, call(1, { function: { arguments: 'ern"}' } })),
  chunk(0, {}, { finish_reason: 'stop' }),
  chunk(2, {}, { finish_reason: 'stop' }),
  chunk(1, {}, { finish_reason: 'tool_calls' }),
  { ...head, object: 'chat.completion.chunk', choices: [], usage },
]

describe('an answer that is not streamed', () => {
  it('is streamed upstream and folded: everything that came in pieces is there', async () => {
    const { gateway, upstream } = await gatewayOver([streamOf(PIECES)])
    const answer = await ask(gateway, { n: 3 })
    expect(parseJsonObject(answer.text)).toEqual(WHOLE)
    expect(upstream.requests[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(gateway.completed[0]?.usage).toMatchObject({ promptTokens: 9, completionTokens: 12 })
  })

  it('is what the upstream sent, where that cannot stream', async () => {
    const { gateway, upstream } = await gatewayOver([{ body: WHOLE }], { stream: false })
    const answer = await ask(gateway, { n: 3 })
    expect(parseJsonObject(answer.text)).toEqual(WHOLE)
    expect(upstream.requests[0]?.body).not.toHaveProperty('stream')
  })

  it('leaves a silent endpoint as soon as a streamed one does', async () => {
    const { gateway, backup } = await gatewayOver(
      [{ chunks: [': waiting\n\n'], end: 'silence' }],
      {},
      { first_output_timeout_ms: 150 },
    )
    const startedAt = clock.now()
    expect((await ask(gateway)).content).toBe('from the backup')
    expect(clock.now() - startedAt).toBe(150)
    expect(backup.calls()).toBe(1)
  })

  it('falls back from one that broke off in the middle', async () => {
    const { gateway } = await gatewayOver([{ chunks: PIECES.slice(0, 9).map(sseEvent), end: 'destroy' }])
    expect((await ask(gateway)).content).toBe('from the backup')
  })
})

describe('a streamed answer of an endpoint that cannot stream', () => {
  it('comes as the stream that the answer would have been', async () => {
    const { gateway } = await gatewayOver([{ body: WHOLE }], { stream: false })
    const answer = await ask(gateway, { n: 3, stream: true, stream_options: { include_usage: true } })
    expect(answer.done).toBe(true)
    const chunks = answer.events.slice(0, -1).map(event => parseJsonObject(event) ?? {})
    expect(foldAll(chunks)).toEqual(WHOLE)
    expect(chunks.every(({ object }) => object === 'chat.completion.chunk')).toBe(true)
  })

  it('holds usage only where it was asked for', async () => {
    const { gateway } = await gatewayOver([{ body: WHOLE }], { stream: false })
    const answer = await ask(gateway, { n: 3, stream: true })
    expect(answer.text).not.toContain('prompt_tokens')
  })

  it('falls back before anything was sent', async () => {
    const broken = errorAnswer(404, { message: 'The model `m` does not exist', code: 'model_not_found' })
    const { gateway } = await gatewayOver([broken], { stream: false })
    const answer = await ask(gateway, { stream: true })
    expect([answer.content, answer.done]).toEqual(['from the backup', true])
  })
})
