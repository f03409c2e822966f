import { afterEach, describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { ask } from '../support/ask.ts'
import { chatCompletion, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()

/** Longer than a look at the table is fresh: the other gateway then sees what was learned. */
const NEWS_MS = 1_001

const healthy = (): UpstreamAnswer => chatStream(['all ', 'well'])
const refusal = (message: string): UpstreamAnswer => errorAnswer(400, { message })

/** An upstream that refuses with these words whatever the test calls for, and answers all else. */
async function picky(words: string, refuses: (body: JsonObject) => boolean): Promise<ScriptedUpstream> {
  const upstream = await startUpstream(({ body }) => (refuses(body) ? refusal(words) : healthy()))
  open.push(upstream)
  return upstream
}

const easy = (): Promise<ScriptedUpstream> => picky('', () => false)

/** Gateways of one fleet over a picky endpoint and one that takes everything. */
async function fleetOver(
  primary: ScriptedUpstream,
  { entry = {}, settings = {} }: { entry?: object; settings?: Record<string, unknown> } = {},
) {
  const backup = await easy()
  const world = createWorld(clock)
  const tiers = [[{ endpoint: 'a/m', ...entry }], ['b/m']]
  const configuration = configOf({ a: primary.url, b: backup.url }, tiers, settings)
  const start = async () => {
    const gateway = await startGateway(configuration, {}, world)
    open.push(gateway)
    return gateway
  }
  return { first: await start(), second: await start(), backup, store: world.store }
}

const TOOLS = { tools: [{ type: 'function', function: { name: 'look', parameters: {} } }] }
const IMAGE = {
  messages: [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/c.png' } }] },
  ],
}
const JSON_MODE = { response_format: { type: 'json_object' } }
const hasImage = ({ messages }: JsonObject): boolean => JSON.stringify(messages).includes('image_url')
const LONG = { messages: [{ role: 'user', content: 'word '.repeat(4_000) }] }

describe('what an endpoint refused, the whole fleet asks it no more', () => {
  test.each<[string, string, (body: JsonObject) => boolean, object, string]>([
    ['tools', 'm does not support tools', body => 'tools' in body, TOOLS, 'no_tools'],
    ['images', 'This model does not support image input.', hasImage, IMAGE, 'no_vision'],
    ['JSON mode', 'JSON mode is not supported.', body => 'response_format' in body, JSON_MODE, 'no_json'],
    [
      'a field',
      "'logit_bias' is not supported",
      body => 'logit_bias' in body,
      { logit_bias: { 1: 1 } },
      'param_refused',
    ],
    [
      'a long prompt',
      "This model's maximum context length is 2048 tokens.",
      ({ messages }) => JSON.stringify(messages).length > 9_000,
      LONG,
      'context_too_small',
    ],
  ])('%s', async (_, words, refuses, body, reason) => {
    const primary = await picky(words, refuses)
    const { first, second, store } = await fleetOver(primary)
    const learning = await ask(first, body)
    expect([learning.content, learning.headers.get('x-backstop-attempts')]).toEqual(['all well', '2'])
    await expect.poll(() => store.items().some(({ kind }) => kind === 'capability')).toBe(true)

    clock.pass(NEWS_MS)
    const knowing = await ask(second, body)
    expect(knowing.headers.get('x-backstop-skipped')).toMatch(new RegExp(`^a/m;${reason};86\\d{3}$`))
    expect(knowing.headers.get('x-backstop-attempts')).toBe('1')
    expect(primary.calls()).toBe(1)

    // Whoever does not need it is served as before.
    const plain = await ask(second)
    expect(plain.headers.get('x-backstop-served-by')).toBe('a/m')
  })
})

it('is shown by GET /v1/endpoints, and written once', async () => {
  const primary = await picky('m does not support tools', body => 'tools' in body)
  const { first, second, store } = await fleetOver(primary)
  await ask(first, TOOLS)
  await expect.poll(() => store.items().length).toBeGreaterThan(0)
  clock.pass(NEWS_MS)
  const response = await fetch(`${second.url}/v1/endpoints`)
  expect(await response.json()).toMatchObject({
    data: [{ endpoint: 'a/m', refuses: [{ what: 'tools', until: expect.any(Number) }] }, { refuses: [] }],
  })
  expect(first.lines).toContainEqual(
    expect.objectContaining({ event: 'capability-learned', provider: 'a', what: 'tools' }),
  )
  const written = store.calls('putStateItem')
  await ask(first, TOOLS)
  expect(store.calls('putStateItem')).toBe(written)
})

it('is not remembered where the setting is 0', async () => {
  const primary = await picky('m does not support tools', body => 'tools' in body)
  const { first } = await fleetOver(primary, { settings: { capability_memory_ms: 0 } })
  await ask(first, TOOLS)
  await ask(first, TOOLS)
  expect(primary.calls()).toBe(2)
})

it('counts for nothing where the owner declared otherwise', async () => {
  const primary = await picky('m does not support tools', body => 'tools' in body)
  const { first, store } = await fleetOver(primary, { entry: { tools: true } })
  await ask(first, TOOLS)
  await expect.poll(() => store.items().length).toBeGreaterThan(0)
  await ask(first, TOOLS)
  expect(primary.calls()).toBe(2)
})

it('an alias of which no endpoint can says which field was refused', async () => {
  const primary = await picky("'logit_bias' is not supported", body => 'logit_bias' in body)
  const gateway = await startGateway(configOf({ a: primary.url }, [['a/m']]))
  open.push(gateway)
  await ask(gateway, { logit_bias: {} })
  await expect.poll(() => gateway.lines.some(line => 'what' in line)).toBe(true)
  const answer = await ask(gateway, { logit_bias: {} })
  expect([answer.status, answer.error?.code]).toEqual([400, 'no_capable_endpoint'])
  expect(answer.error?.message).toContain('a/m (param_refused: logit_bias, ')
})

describe('what an endpoint wants in another way', () => {
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c', type: 'function', function: {} }] },
    { role: 'tool', tool_call_id: 'c', content: '3' },
    { role: 'user', content: 'And?' },
  ]
  const said = ({ messages: sent }: JsonObject, wanted: (content: unknown) => boolean): boolean =>
    Array.isArray(sent) && sent.some(message => wanted((message as JsonObject)['content']))

  test.each<[string, string, (body: JsonObject) => boolean, JsonObject]>([
    [
      'the limit of tokens under its other name',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      body => 'max_tokens' in body || body['max_completion_tokens'] !== 50,
      { max_tokens: 50 },
    ],
    [
      'the other limit under its old name, unasked',
      "Unknown parameter: 'max_completion_tokens'.",
      body => 'max_completion_tokens' in body || body['max_tokens'] !== 50,
      { max_completion_tokens: 50 },
    ],
    [
      'texts that are no lists of parts',
      'messages[0]: invalid type: sequence, expected a string at line 1 column 93',
      body => said(body, Array.isArray),
      { messages },
    ],
    [
      'no empty texts',
      'ValidationException: messages: text content blocks must be non-empty',
      body => said(body, content => content === ''),
      { messages },
    ],
  ])('%s: called once more, and so from then on by the whole fleet', async (_, words, refuses, asked) => {
    const primary = await picky(words, refuses)
    const { first, second, backup } = await fleetOver(primary)
    expect((await ask(first, asked)).content).toBe('all well')
    expect([primary.calls(), backup.calls()]).toEqual([2, 0])
    await expect.poll(() => first.lines.some(line => 'what' in line)).toBe(true)
    clock.pass(NEWS_MS)
    await ask(second, asked)
    expect([primary.calls(), backup.calls()]).toEqual([3, 0])
  })

  it.each([
    // It has no list in mind, and says so.
    [
      "Invalid value for 'content': expected a string, got null.",
      [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: null },
      ],
      1,
    ],
    // It seems to ask for texts, and then refuses these too.
    ['content must be a string', messages, 2],
  ])('is nothing where that helps as little: %s', async (words, sent, calls) => {
    const primary = await picky(words, () => true)
    const { first, second, backup } = await fleetOver(primary)
    expect((await ask(first, { messages: sent })).content).toBe('all well')
    expect([primary.calls(), backup.calls()]).toEqual([calls, 1])
    await first.settled()
    expect(first.lines.filter(({ event }) => event === 'capability-learned')).toEqual([])
    clock.pass(NEWS_MS)
    await ask(second, { messages: sent })
    expect(primary.requests[calls]?.body).toHaveProperty('messages.0.content.0.text', 'Hi')
  })

  it('is only this request where the words say so: streams of tools alone', async () => {
    const primary = await picky(
      'Cannot use tools with stream',
      body => 'tools' in body && body['stream'] === true,
    )
    const { first, backup } = await fleetOver(primary)
    expect((await ask(first, TOOLS)).content).toBe('all well')
    await ask(first, { stream: true })
    expect([primary.requests.at(-1)?.body['stream'], backup.calls()]).toEqual([true, 0])
  })
})

describe('a refused field that may be dropped', () => {
  it('is left out at once, for one attempt, and from then on by the whole fleet', async () => {
    const primary = await picky("property 'store' is unsupported", body => 'store' in body)
    const { first, second, backup } = await fleetOver(primary)
    const answer = await ask(first, { store: true, seed: 7 })
    expect(answer.headers.get('x-backstop-chain')).toMatch(
      /^a\/m;unsupported_param;400;\d+ > a\/m;ok;200;\d+$/,
    )
    expect(answer.headers.get('x-backstop-attempts')).toBe('2')
    expect(primary.requests[1]?.body).toMatchObject({ seed: 7 })
    expect(primary.requests[1]?.body).not.toHaveProperty('store')
    await expect.poll(() => first.lines.some(line => 'what' in line)).toBe(true)
    clock.pass(NEWS_MS)
    const next = await ask(second, { store: true, seed: 7 })
    expect([next.content, next.headers.get('x-backstop-attempts')]).toEqual(['all well', '1'])
    expect(backup.calls()).toBe(0)
  })

  it('is not played with twice in one request', async () => {
    const upstream = await startUpstream(({ body }) => {
      const name = ['store', 'user'].find(field => field in body)
      return name ? refusal(`Unknown parameter: '${name}'.`) : healthy()
    })
    open.push(upstream)
    const { first, backup } = await fleetOver(upstream)
    await ask(first, { store: true, user: 'u' })
    expect([upstream.calls(), backup.calls()]).toEqual([2, 1])
  })

  it('costs an attempt that a lower tier may need more', async () => {
    const primary = await picky("property 'store' is unsupported", body => 'store' in body)
    const { first, backup } = await fleetOver(primary, { settings: { retry_max_attempts: 2 } })
    await ask(first, { store: true })
    expect([primary.calls(), backup.calls()]).toEqual([1, 1])
  })

  it('may be our own', async () => {
    const primary = await picky("Unknown parameter: 'stream_options'.", body => 'stream_options' in body)
    const { first, backup } = await fleetOver(primary)
    const answer = await ask(first, { stream: true })
    expect(answer.content).toBe('all well')
    expect([primary.calls(), backup.calls()]).toEqual([2, 0])
  })

  it('is never a field that changes the answer', async () => {
    const primary = await picky("'seed' is not supported", body => 'seed' in body)
    const { first, backup } = await fleetOver(primary)
    await ask(first, { seed: 1 })
    expect(primary.requests.every(({ body }) => body.seed === 1)).toBe(true)
    expect(backup.requests[0]?.body.seed).toBe(1)
  })
})

describe('an endpoint that cannot stream', () => {
  const wholeOnly = async (words: string) => {
    const upstream = await startUpstream(({ body }) =>
      body.stream ? refusal(words) : chatCompletion('whole'),
    )
    open.push(upstream)
    return upstream
  }

  it('is asked plainly at once, and from then on', async () => {
    const upstream = await wholeOnly('This model does not support streaming.')
    const { first, second } = await fleetOver(upstream)
    const answer = await ask(first, { stream: true })
    expect([answer.content, answer.done]).toEqual(['whole', true])
    await expect.poll(() => first.lines.some(line => 'what' in line)).toBe(true)
    clock.pass(NEWS_MS)
    expect((await ask(second)).content).toBe('whole')
    expect(upstream.requests.map(({ body }) => body.stream ?? false)).toEqual([true, false, false])
    expect(upstream.requests[1]?.body).not.toHaveProperty('stream_options')
  })

  it('is never asked to where its owner says so', async () => {
    const upstream = await wholeOnly('no')
    const { first } = await fleetOver(upstream, { entry: { stream: false } })
    expect((await ask(first, { stream: true })).content).toBe('whole')
    expect(upstream.calls()).toBe(1)
  })

  it('has the time of a whole answer for its first output', async () => {
    const upstream = await startUpstream([{ ...chatCompletion('late'), headersDelayMs: 300 }], { clock })
    open.push(upstream)
    const settings = { first_output_timeout_ms: 100, answer_total_ms: 2_000 }
    const { first } = await fleetOver(upstream, { entry: { stream: false }, settings })
    expect((await ask(first)).content).toBe('late')
  })

  it('is given up after that time', async () => {
    const upstream = await startUpstream([{ fault: 'no-response' }], { clock })
    open.push(upstream)
    const { first, backup } = await fleetOver(upstream, {
      entry: { stream: false },
      settings: { answer_total_ms: 150 },
    })
    expect((await ask(first)).content).toBe('all well')
    expect(backup.calls()).toBe(1)
  })
})
