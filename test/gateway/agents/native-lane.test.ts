import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { callBlock, messageEvents, messageStream, textBlock } from '../../agents/message-bodies.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { nativeEvents, nativeStream } from '../responses/native-bodies.ts'
import { MESSAGES, objects, RESPONSES, SESSION, startHouse } from './play-agent.ts'

/**
 * What other gateways have got wrong where an endpoint speaks the agent's own API, each from a public report. Every case
 * goes through a whole gateway.
 */

const QUESTION = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello?' }] }
const TOOL = { name: 'Bash', input_schema: { type: 'object' } }
const BETA = 'claude-code-20250219,context-management-2025-06-27'
const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })
const message = { messages: {} }
const response = { responses: {} }

const refusal = (text: string) => ({
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message: text } },
})

const HELLO = messageStream(messageEvents([textBlock('Hi.')], 'end_turn'))

describe('a thought that another account has signed', () => {
  const signed = { type: 'thinking', thinking: 'Hm.  ☃', signature: 'c2lnbmVk' }
  const sealed = { type: 'redacted_thinking', data: 'c2VhbGVk' }
  const use = { type: 'tool_use', id: 't1', name: 'Bash', input: {} }
  const historyOf = (...thoughts: object[]) => [
    { role: 'user', content: 'Hello?' },
    { role: 'assistant', content: [...thoughts, use] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
  ]
  const fields = { ...QUESTION, tools: [TOOL] }

  it('goes back byte for byte to whoever speaks the API, router-for-me/CLIProxyAPI#2172', async () => {
    await using house = await startHouse({ answers: [HELLO], wires: message })
    const messages = historyOf(signed, sealed)
    await house.ask(MESSAGES, { ...fields, messages, stream: true }, SESSION)
    expect(house.upstreams[0]?.requests[0]?.text).toContain(JSON.stringify(messages))
  })

  it('is taken out where it is refused, router-for-me/CLIProxyAPI#570', async () => {
    const refused = refusal('messages.1.content.0: Invalid `signature` in `thinking` block')
    await using house = await startHouse({ answers: [refused, HELLO], wires: message })
    const body = { ...fields, messages: historyOf(signed, sealed), stream: true }
    const { status, headers } = await house.ask(MESSAGES, body, SESSION)
    expect({ status, attempts: headers.get('x-backstop-attempts') }).toEqual({ status: 200, attempts: '1' })
    expect(house.sent().messages).toEqual(historyOf())
  })

  it('is taken out for the next account, router-for-me/CLIProxyAPI#3052', async () => {
    await using house = await startHouse(
      { answers: [OVERLOADED], wires: message },
      { answers: [HELLO], wires: message },
    )
    await house.ask(MESSAGES, { ...fields, messages: historyOf(signed), stream: true }, SESSION)
    expect(house.sent(1).messages).toEqual(historyOf())
  })

  it('is never made up: what a translation shows has no signature, and no account gets it', async () => {
    await using house = await startHouse({ answers: [HELLO], wires: message })
    const made = { type: 'thinking', thinking: 'Made elsewhere.', signature: '' }
    await house.ask(MESSAGES, { ...fields, messages: historyOf(made), stream: true }, SESSION)
    expect(house.sent().messages).toEqual(historyOf())
  })
})

describe('reasoning that another account has encrypted', () => {
  it('is taken out for the next one, maximhq/bifrost#5892, Wei-Shaw/sub2api#3038', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
    const input = [{ role: 'user', content: 'Hello?' }, reasoning, { role: 'user', content: 'And?' }]
    await using house = await startHouse(
      { answers: [OVERLOADED], wires: response },
      { answers: [nativeStream(nativeEvents(['Hi.']))], wires: response },
    )
    const include = ['reasoning.encrypted_content']
    await house.ask(RESPONSES, { input, include, stream: true })
    expect(house.sent(0)).toMatchObject({ input, include })
    expect(house.sent(1)).toMatchObject({ input: [input[0], input[2]], include })
  })
})

describe('arguments of a call', () => {
  const events = (...list: JsonObject[]): string[] =>
    list.map(event => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`)

  it('that come with its last event alone reach the client, lidge-jun/opencodex#4652', async () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'shell', arguments: '' }
    const whole = { ...item, arguments: '{"command":"ls"}', status: 'completed' }
    const chunks = events(
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: whole.arguments },
      { type: 'response.output_item.done', output_index: 0, item: whole },
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [whole] } },
    )
    await using house = await startHouse({ answers: [nativeStream(chunks)], wires: response })
    for (const buffer of ['0', '1']) {
      const { text } = await house.ask(
        RESPONSES,
        { input: 'Hello?', stream: true },
        buffer === '1' ? { 'x-backstop-buffer': buffer } : {},
      )
      expect(text).toBe(chunks.join(''))
    }
  })

  it('that come with the first event of a block are told where clients look, maximhq/bifrost#1354', async () => {
    const inputs = [{ command: 'ls' }, {}]
    const blocks = inputs.map((input, index) => ({
      start: { type: 'tool_use', id: `toolu_${index}`, name: 'Bash', input },
      // Empty pieces are none.
      delta: { type: 'input_json_delta', partial_json: '' },
    }))
    const chunks = messageEvents(blocks, 'tool_use')
    await using house = await startHouse({ answers: [messageStream(chunks)], wires: message })
    const stream = new Anthropic({ apiKey: 'none', baseURL: house.gateway.url }).messages.stream({
      ...QUESTION,
      model: 'house',
      messages: [{ role: 'user', content: 'Hello?' }],
    })
    const { content } = await stream.finalMessage()
    expect(content).toMatchObject(inputs.map(input => ({ type: 'tool_use', input })))
    const { text } = await house.ask(MESSAGES, { ...QUESTION, stream: true })
    const added =
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,' +
      '"delta":{"type":"input_json_delta","partial_json":"{\\"command\\":\\"ls\\"}"}}\n\n'
    expect(text).toBe([...chunks.slice(0, 3), added, ...chunks.slice(3)].join(''))
  })

  it('are passed on as they come, piece by piece', async () => {
    const chunks = messageEvents([callBlock('toolu_1', 'Bash', { command: 'ls' })], 'tool_use')
    await using house = await startHouse({ answers: [messageStream(chunks)], wires: message })
    const { text } = await house.ask(MESSAGES, { ...QUESTION, tools: [TOOL], stream: true })
    expect(text).toBe(chunks.join(''))
  })
})

describe('an endpoint that refuses what Claude Code sends in its own API', () => {
  const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }]
  const SENT = { ...QUESTION, context_management: { edits }, stream: true }

  it.each([
    ['a field', 'context_management: Extra inputs are not permitted'],
    ['a beta', 'Unexpected value(s) `context-management-2025-06-27` for the `anthropic-beta` header.'],
    ['a beta, without its name', 'invalid beta flag'],
    ['a beta, in its own words', 'No endpoints available that support context management features.'],
    ['a role', "messages.1.role: Input should be 'user' or 'assistant'"],
    ['a way to think', "thinking.type: Input should be 'enabled' or 'disabled'"],
    ['a small budget', 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'],
  ])('%s is called over the chat API, and not passed by', async (_, text) => {
    await using house = await startHouse(
      { answers: [refusal(text), chatStream(['Translated.'])], wires: message },
      { answers: [chatStream(['Another model.'])] },
    )
    const answer = await house.ask(MESSAGES, SENT, { 'anthropic-beta': BETA })
    expect(answer.text).toContain('Translated.')
    expect(answer.headers.get('x-backstop-dropped')).toBe('context_management, betas')
    expect(house.upstreams[0]?.requests.map(({ path }) => path)).toEqual([
      '/v1/messages',
      '/v1/chat/completions',
    ])
  })

  it('says so in its own words where nothing helps, for an agent that recovers by them', async () => {
    const refused = refusal('context_management: Extra inputs are not permitted')
    await using house = await startHouse({ answers: [refused], wires: message })
    const { status, json } = await house.ask(MESSAGES, SENT)
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { error: { type: 'invalid_request_error', message: expect.stringContaining('Extra inputs') } },
    })
  })

  it('is not called without what only its own API can do', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    await using house = await startHouse({ answers: [refusal('tools.0: Not supported.')], wires: message })
    expect(await house.ask(MESSAGES, { ...QUESTION, tools })).toMatchObject({ status: 400 })
    expect(house.upstreams[0]?.calls()).toBe(1)
  })

  it('reads what nobody else can, although the request holds nothing more', async () => {
    const source = { type: 'url', url: 'https://files.example/report.pdf' }
    const messages = [{ role: 'user', content: [{ type: 'document', source }] }]
    await using house = await startHouse({ answers: [HELLO], wires: message }, { answers: [] })
    const { status } = await house.ask(MESSAGES, { ...QUESTION, messages, stream: true })
    expect({ status, sent: house.sent().messages }).toEqual({ status: 200, sent: messages })
    await using plain = await startHouse({ answers: [chatStream(['Hi.'])] })
    expect(await plain.ask(MESSAGES, { ...QUESTION, messages })).toMatchObject({
      status: 400,
      json: { error: { code: 'no_capable_endpoint' } },
    })
  })

  it('gets the betas of this request, and never those of another, decolua/9router#3023', async () => {
    await using house = await startHouse({ answers: [HELLO], wires: message })
    for (const betas of [BETA, undefined, 'another-2026-01-01']) {
      await house.ask(MESSAGES, { ...QUESTION, stream: true }, betas ? { 'anthropic-beta': betas } : {})
    }
    const seen = house.upstreams[0]?.requests.map(({ headers }) => headers['anthropic-beta'])
    expect(seen).toEqual([BETA, undefined, 'another-2026-01-01'])
    expect(objects(house.sent().messages)).toHaveLength(1)
  })
})
