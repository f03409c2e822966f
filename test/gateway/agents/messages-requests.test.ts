import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { MESSAGES, objects, SESSION, startHouse } from './play-agent.ts'

/**
 * What other gateways have got wrong in requests of the Messages API, each from a public report. Every case goes
 * through a whole gateway in front of an endpoint of the chat API.
 */

const GOOD = chatStream(['Hi.'])
const QUESTION = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello?' }] }
const BASH = { name: 'Bash', description: 'Runs.', input_schema: { type: 'object', properties: {} } }
const PIXEL = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }

/** What comes upstream of a request with these fields. */
async function sent(fields: object): Promise<JsonObject> {
  await using house = await startHouse({ answers: [GOOD] })
  const { status, text } = await house.ask(MESSAGES, { ...QUESTION, ...fields }, SESSION)
  expect({ status, text }).toMatchObject({ status: 200 })
  return house.sent()
}

const round = (id: string, content: unknown, extra: readonly object[] = []) => [
  { role: 'user', content: 'Hello?' },
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }, ...extra] },
]

describe('results of tools', () => {
  it('keep their images, behind all results of the round, BerriAI/litellm#23712', async () => {
    const messages = [
      QUESTION.messages[0],
      {
        role: 'assistant',
        content: ['t1', 't2'].map(id => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'A pixel.' }, PIXEL] },
          { type: 'tool_result', tool_use_id: 't2', content: 'done' },
        ],
      },
    ]
    expect((await sent({ messages, tools: [BASH] })).messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 't1' }, { id: 't2' }] },
      { role: 'tool', tool_call_id: 't1', content: 'A pixel.' },
      { role: 'tool', tool_call_id: 't2', content: 'done' },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      },
    ])
  })

  it('stand behind their calls, before what the user says in the same turn, ogx-ai/ogx#6367', async () => {
    const messages = round('t1', [], [{ type: 'text', text: 'Go on.' }])
    expect((await sent({ messages, tools: [BASH] })).messages).toMatchObject([
      {},
      { role: 'assistant' },
      // Hosts refuse a result without content.
      { role: 'tool', content: ' ' },
      { role: 'user', content: 'Go on.' },
    ])
  })

  it('of one round stay one turn of calls, vllm-project/vllm#40981', async () => {
    const use = (id: string) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Bash', input: {} }],
    })
    const results = ['t1', 't2'].map(id => ({ type: 'tool_result', tool_use_id: id, content: 'x' }))
    const messages = [QUESTION.messages[0], use('t1'), use('t2'), { role: 'user', content: results }]
    expect((await sent({ messages, tools: [BASH] })).messages).toMatchObject([
      {},
      { role: 'assistant', tool_calls: [{ id: 't1' }, { id: 't2' }] },
      { role: 'tool' },
      { role: 'tool' },
    ])
  })

  it('of ids and names that are too long still meet, NousResearch/hermes-agent#73492', async () => {
    const long = `toolu_${'x'.repeat(80)}`
    const name = `mcp__${'server_'.repeat(12)}run`
    const [question, , result] = round(long, 'ok')
    const turn = { role: 'assistant', content: [{ type: 'tool_use', id: long, name, input: {} }] }
    const body = await sent({ messages: [question, turn, result], tools: [{ ...BASH, name }] })
    const [call] = objects(objects(body.messages)[1]?.tool_calls)
    const called: JsonObject = isJsonObject(call?.function) ? call.function : {}
    expect(String(call?.id)).toMatch(/^[\w-]{1,64}$/)
    expect(objects(body.messages)[2]).toMatchObject({ role: 'tool', tool_call_id: call?.id })
    expect(String(called.name)).toMatch(/^[\w-]{1,64}$/)
    expect(body.tools).toMatchObject([{ function: { name: called.name } }])
  })
})

describe('an instruction in the middle of a conversation', () => {
  it.each([['text'], [[{ type: 'text', text: 'text' }]]])(
    'goes with what the user said: %j, vllm-project/vllm#44000',
    async content => {
      const messages = [...QUESTION.messages, { role: 'system', content }]
      const body = await sent({ system: 'Be brief.', messages })
      expect(body.messages).toEqual([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello?\n\ntext' },
      ])
    },
  )

  it('does not stand between a call and its result, anthropics/claude-code#77698', async () => {
    const messages = [...round('t1', 'ok'), { role: 'system', content: 'Two tools are new.' }]
    const roles = objects((await sent({ messages, tools: [BASH] })).messages).map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'user'])
  })
})

describe('what changes with every request', () => {
  it('is no part of the prompt, so that caches find it, vllm-project/vllm#36829', async () => {
    const system = (stamp: string) => [
      { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1; cch=${stamp};` },
      { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } },
    ]
    const bodies = [await sent({ system: system('a1') }), await sent({ system: system('b2') })]
    expect(bodies[0]).toEqual(bodies[1])
    expect(bodies[0]?.messages).toMatchObject([{ role: 'system', content: 'You are an agent.' }, {}])
  })
})

describe('fields', () => {
  it('a single stop sequence stays a list, QuantumNous/new-api#7175', async () => {
    expect(await sent({ stop_sequences: ['END'] })).toMatchObject({ stop: ['END'] })
  })

  it('a hosted tool is left out, and no function without a schema, MAXeaglet/commandcode-proxy#46', async () => {
    await using house = await startHouse({ answers: [GOOD] })
    const tools = [BASH, { type: 'web_search_20250305', name: 'web_search', max_uses: 8 }]
    const { headers } = await house.ask(MESSAGES, { ...QUESTION, tools })
    expect(house.sent().tools).toMatchObject([{ type: 'function', function: { name: 'Bash' } }])
    expect(objects(house.sent().tools)).toHaveLength(1)
    expect(headers.get('x-backstop-dropped')).toBe('tools.web_search')
  })

  it.each([
    ['without a type', BASH],
    ['of its own type', { ...BASH, type: 'custom' }],
    ['with a type of null', { ...BASH, type: null }],
    ['without a schema', { name: 'Bash', input_schema: {} }],
  ])('a tool %s is a function, envoyproxy/ai-gateway#1953', async (_, tool) => {
    expect((await sent({ tools: [tool] })).tools).toMatchObject([
      { type: 'function', function: { name: 'Bash', parameters: { type: 'object', properties: {} } } },
    ])
  })

  it.each([
    [500, 'low'],
    [1_024, 'low'],
    [10_000, 'medium'],
    [31_999, 'high'],
  ])(
    'a budget of %i tokens to think is an effort that every host takes, maximhq/bifrost#1479',
    async (budget, effort) => {
      const thinking = { type: 'enabled', budget_tokens: budget }
      const body = await sent({ max_tokens: 32_000, thinking })
      expect(body).toMatchObject({ reasoning_effort: effort })
      expect(body).not.toHaveProperty('thinking')
    },
  )
})
