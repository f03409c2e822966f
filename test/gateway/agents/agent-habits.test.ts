import { describe, expect, it } from 'vitest'
import { chatCompletion, chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { streamOf } from '../../support/tool-calls.ts'
import { chatChunk } from '../../support/upstreams/chat-bodies.ts'
import { messageEvents, messageStream, textBlock } from '../../agents/message-bodies.ts'
import { MESSAGES, objects, RESPONSES, SESSION, startHouse } from './play-agent.ts'

/** What agents send as a matter of course, and what comes of it at an endpoint that knows the chat API alone. */

const GOOD = chatStream(['Hi.'])
const USER = { role: 'user', content: 'Hello?' }
const QUESTION = { max_tokens: 100, messages: [USER] }
const BASH = { name: 'Bash', description: 'Runs.', input_schema: { type: 'object', properties: {} } }

describe('a longer answer than an endpoint gives', () => {
  const refused = (message: string) => errorAnswer(400, { message, type: 'invalid_request_error' })

  it.each([
    ['max_tokens is too large: 32000. This model supports at most 16384 completion tokens.', 16_384],
    ['`max_tokens` must be less than or equal to `8192`, the maximum value for this model', 8_192],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8_192],
    ['max_tokens: 32000 > 8,192, which is the maximum allowed number of output tokens for m', 8_192],
  ])('is asked for once, and a shorter one from then on: %s', async (message, most) => {
    await using house = await startHouse({ answers: [refused(message), GOOD] })
    for (const path of [MESSAGES, '/v1/chat/completions']) {
      const { status } = await house.ask(path, { ...QUESTION, max_tokens: 32_000, stream: true })
      expect(status).toBe(200)
    }
    const asked = house.upstreams[0]?.requests.map(({ body }) => body.max_tokens)
    expect(asked).toEqual([32_000, most, most])
    // Who asks for less gets what it asks for.
    await house.ask(MESSAGES, QUESTION)
    expect(house.sent().max_tokens).toBe(100)
  })

  it('is asked for once of an endpoint that speaks the same API', async () => {
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'max_tokens: 32000 > 8192, which is the maximum' },
    }
    const hello = messageStream(messageEvents([textBlock('Hi.')], 'end_turn'))
    await using house = await startHouse({ answers: [{ status: 400, body }, hello], wires: { messages: {} } })
    const { text } = await house.ask(MESSAGES, { ...QUESTION, max_tokens: 32_000, stream: true })
    expect(text).toContain('"text":"Hi."')
    expect(house.upstreams[0]?.requests.map(({ path, body: sent }) => [path, sent.max_tokens])).toEqual([
      ['/v1/messages', 32_000],
      ['/v1/messages', 8_192],
    ])
  })

  it.each([
    'max_tokens must be at least 1',
    'You may request at most 8192 output tokens per minute: max_tokens: 32000 > 8192.',
  ])('is not what %s speaks of', async message => {
    await using house = await startHouse({ answers: [refused(message), GOOD] })
    const { status } = await house.ask(MESSAGES, { ...QUESTION, max_tokens: 32_000 })
    expect(status).toBe(400)
  })
})

describe('Claude Code', () => {
  const sent = async (fields: object) => {
    await using house = await startHouse({ answers: [GOOD] })
    const answer = await house.ask(MESSAGES, { ...QUESTION, ...fields }, SESSION)
    return { ...answer, body: house.sent() }
  }

  it('may forbid tools that it lists', async () => {
    const { body } = await sent({ tools: [BASH], tool_choice: { type: 'none' } })
    expect(body).toMatchObject({ tool_choice: 'none', tools: [{ function: { name: 'Bash' } }] })
  })

  it('sends empty texts, which hosts refuse as turns', async () => {
    const empty = { type: 'text', text: '' }
    const messages = [USER, { role: 'assistant', content: [empty] }, { role: 'user', content: 'And?' }]
    const { body } = await sent({ messages })
    expect(body.messages).toEqual([USER, { role: 'user', content: 'And?' }])
  })

  it('marks tools and blocks for a cache, which nobody else has', async () => {
    const cached = { cache_control: { type: 'ephemeral' } }
    const { body, headers } = await sent({
      tools: [{ ...BASH, ...cached, eager_input_streaming: true }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?', ...cached }] }],
    })
    expect(JSON.stringify(body)).not.toMatch(/cache_control|eager_input/)
    expect(headers.get('x-backstop-dropped')).toContain('cache_control')
  })

  it('brings the turns of a provider’s own tools to the next endpoint', async () => {
    const content = [
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
      { type: 'text', text: 'Found.' },
    ]
    const { body, headers } = await sent({ messages: [USER, { role: 'assistant', content }, USER] })
    expect(body.messages).toEqual([USER, { role: 'assistant', content: 'Found.' }, USER])
    expect(headers.get('x-backstop-dropped')).toBe('server_tool_use, web_search_tool_result')
  })

  it('lists tools that can be called only once they were searched for', async () => {
    const deferred = (name: string) => ({ ...BASH, name, defer_loading: true })
    const found = [{ type: 'tool_reference', tool_name: 'WebFetch' }]
    const { body } = await sent({
      tools: [{ ...BASH, name: 'ToolSearch' }, deferred('WebFetch'), deferred('Monitor')],
      messages: [
        USER,
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: found }] },
      ],
    })
    const names = objects(body.tools).map(tool => JSON.stringify(tool.function))
    expect(names.join()).toMatch(/ToolSearch.*WebFetch/)
    expect(names.join()).not.toContain('Monitor')
    expect(objects(body.messages).at(-1)).toMatchObject({ role: 'tool', content: 'WebFetch' })
  })

  it('counts tokens with its tools, by an estimate that grows with them', async () => {
    await using house = await startHouse({ answers: [GOOD] })
    const count = async (fields: object): Promise<number> => {
      const { json } = await house.ask('/v1/messages/count_tokens?beta=true', { messages: [USER], ...fields })
      return Number(json.input_tokens)
    }
    const described = { ...BASH, description: 'Runs a command. '.repeat(200) }
    const [plain, withTools] = [await count({}), await count({ tools: [described] })]
    expect(withTools).toBeGreaterThan(plain + 300)
    expect(house.upstreams[0]?.calls()).toBe(0)
  })

  it('names tools as no host of the chat API may, and calls them by the same names', async () => {
    const name = 'mcp.files:read file'
    const answer = (called: string) =>
      streamOf([
        chatChunk({
          tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: called, arguments: '{}' } }],
        }),
        chatChunk({}, 'tool_calls'),
      ])
    await using house = await startHouse({ answers: [GOOD] })
    await house.ask(MESSAGES, { ...QUESTION, tools: [{ ...BASH, name }] })
    const sentName = /"name":"([\w-]{1,64})"/.exec(JSON.stringify(house.sent().tools))?.[1] ?? ''
    house.upstreams[0]?.play([answer(sentName)])
    const { json } = await house.ask(MESSAGES, { ...QUESTION, tools: [{ ...BASH, name }] })
    expect(json.content).toMatchObject([{ type: 'tool_use', name }])
  })
})

describe('Codex', () => {
  it('brings the searches of another provider to the next endpoint', async () => {
    await using house = await startHouse({ answers: [chatCompletion('Hi.')] })
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } }
    const { status, headers } = await house.ask(RESPONSES, { input: [USER, search, USER] })
    expect({ status, dropped: headers.get('x-backstop-dropped') }).toEqual({
      status: 200,
      dropped: 'input.web_search_call',
    })
  })

  it('never shows a host what it tells of itself', async () => {
    await using house = await startHouse({ answers: [GOOD] })
    await house.ask(RESPONSES, {
      input: [USER],
      client_metadata: { session_id: 'S', installation: 'I' },
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
    })
    expect(Object.keys(house.sent())).not.toContain('client_metadata')
    expect(house.sent()).toMatchObject({ reasoning_effort: 'low' })
  })

  it('is told at once, and not to try again, that nobody here compacts its history', async () => {
    await using house = await startHouse({ answers: [GOOD] })
    const body = { input: [USER, { type: 'compaction_trigger' }], stream: true }
    const { status, json } = await house.ask(RESPONSES, body, { 'user-agent': 'codex_exec/0.171.0' })
    // With this code it asks once; an answer without a compacted item would end its whole task.
    expect({ status, json }).toMatchObject({ status: 400, json: { error: { code: 'invalid_prompt' } } })
    expect(house.upstreams[0]?.calls()).toBe(0)
  })
})
