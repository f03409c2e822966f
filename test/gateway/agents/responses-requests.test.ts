import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../../lambdas/core/json.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { objects, RESPONSES, SESSION, startHouse } from './play-agent.ts'

/**
 * What other gateways have got wrong in requests of the Responses API, each from a public report. Every case goes
 * through a whole gateway in front of an endpoint of the chat API.
 */

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

/** What comes upstream of a request with these fields. */
async function sent(fields: object, provider?: string): Promise<JsonObject> {
  const answers = [chatStream(['Hi.'])]
  await using house = await startHouse({ answers, ...(provider ? { provider } : {}) })
  const { status, text } = await house.ask(RESPONSES, { input: 'Hello?', ...fields }, SESSION)
  expect({ status, text }).toMatchObject({ status: 200 })
  return house.sent()
}

const USER = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello?' }] }
const thought = (text: string) => ({
  type: 'reasoning',
  id: `rs_${text}`,
  summary: [{ type: 'summary_text', text }],
  content: null,
  encrypted_content: null,
})
const call = (id: string, name = 'shell') => ({ type: 'function_call', call_id: id, name, arguments: '{}' })
const result = (id: string, output: Json = 'ok') => ({ type: 'function_call_output', call_id: id, output })

describe('tools', () => {
  const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch" LF' }

  it('of the custom kind take one text, and are told their grammar, decolua/9router#1007', async () => {
    const { tools } = await sent({
      tools: [{ type: 'custom', name: 'apply_patch', description: 'Edits.', format: GRAMMAR }],
    })
    expect(tools).toMatchObject([
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
        },
      },
    ])
    expect(String(objectOf(objects(tools)[0]?.function).description)).toContain('*** Begin Patch')
  })

  it('of a namespace all arrive, as functions and nothing else, openai/codex#36942', async () => {
    const member = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } })
    const { tools } = await sent({
      tools: [
        member('shell'),
        { type: 'namespace', name: 'mcp__files', tools: [member('read'), member('write')] },
        { type: 'web_search' },
      ],
    })
    expect(objects(tools).map(({ type }) => type)).toEqual(['function', 'function', 'function'])
    expect(objects(tools).map(tool => objectOf(tool.function).name)).toEqual([
      'shell',
      'mcp__files__read',
      'mcp__files__write',
    ])
  })

  it('of a namespace are refused by no host that knows none, Dstack-TEE/private-ai-gateway#172', async () => {
    const body = await sent({
      tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f', parameters: null }] }],
    })
    expect(JSON.stringify(body)).not.toContain('namespace')
    expect(body.tools).toMatchObject([{ function: { parameters: { type: 'object', properties: {} } } }])
  })
})

describe('a history', () => {
  it('holds a thought with each of its calls where a host wants it, and no message of its own, BerriAI/litellm#26395', async () => {
    const input = [
      USER,
      thought('First.'),
      call('c1'),
      result('c1'),
      thought('Second.'),
      call('c2'),
      result('c2'),
    ]
    const { messages } = await sent({ input }, 'deepseek')
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'First.', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c1' },
      { role: 'assistant', reasoning_content: 'Second.', tool_calls: [{ id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c2' },
    ])
    expect(messages).toHaveLength(5)
  })

  it('holds the calls of one round in one turn, vllm-project/vllm#40981', async () => {
    const input = [USER, thought('Hm.'), call('c1'), call('c2'), result('c1'), result('c2')]
    const { messages } = await sent({ input })
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'c1' }, { id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c1' },
      { role: 'tool', tool_call_id: 'c2' },
    ])
  })

  it('says nothing between a call and its result, ogx-ai/ogx#6367', async () => {
    const note = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] }
    const { messages } = await sent({ input: [USER, call('c1'), note, result('c1')] })
    const roles = objects(messages).map(({ role }) => role)
    expect(roles.indexOf('tool') - 1).toBe(roles.lastIndexOf('assistant'))
    expect(JSON.stringify(messages)).toContain('Wait.')
  })

  it('says nothing between two results of a round either', async () => {
    const note = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] }
    const input = [USER, call('c1'), call('c2'), result('c1'), note, result('c2')]
    const { messages } = await sent({ input })
    expect(objects(messages).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ])
  })

  it('holds no turn that is nothing but a thought, which hosts refuse', async () => {
    const { messages } = await sent({ input: [USER, thought('Hm.'), USER] })
    expect(objects(messages).map(({ role }) => role)).toEqual(['user', 'user'])
  })

  it('keeps the images of a result behind all results of the round', async () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
    const { messages } = await sent({
      input: [USER, call('c1'), call('c2'), result('c1', [image]), result('c2')],
    })
    expect(objects(messages).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
    expect(JSON.stringify(objects(messages).at(-1))).toContain('iVBORw0KGgo=')
  })

  it('keeps calls and results together whose ids and names are too long, anomalyco/opencode#3523', async () => {
    const [id, name] = [`call_${'x'.repeat(90)}`, `tool_${'y'.repeat(90)}`]
    const body = await sent({
      input: [USER, call(id, name), result(id)],
      tools: [{ type: 'function', name, parameters: { type: 'object' } }],
    })
    const [, turn, answer] = objects(body.messages)
    const [called] = objects(turn?.tool_calls)
    expect(String(called?.id)).toMatch(/^[\w-]{1,64}$/)
    expect(answer).toMatchObject({ role: 'tool', tool_call_id: called?.id })
    expect(String(objectOf(called?.function).name)).toMatch(/^[\w-]{1,64}$/)
    expect(objectOf(objects(body.tools)[0]?.function).name).toBe(objectOf(called?.function).name)
  })
})
