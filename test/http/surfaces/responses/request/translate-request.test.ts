import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../../../lambdas/core/json.ts'
import { createAnswerContext } from '../../../../../lambdas/http/surfaces/responses/answer-context.ts'
import { answerItem } from '../../../../../lambdas/http/surfaces/responses/events/answer-item.ts'
import { createToolTable } from '../../../../../lambdas/http/surfaces/responses/request/tool-table.ts'
import { translateRequest } from '../../../../../lambdas/http/surfaces/responses/request/translate-request.ts'

const translate = (fields: JsonObject) => translateRequest({ model: 'house', input: 'Hi', ...fields })
const messagesFor = (input: JsonObject['input']) => translate({ input }).body.messages

const userText = (text: string): JsonObject => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})
const call = (id: string, name = 'read', more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: '{}',
  ...more,
})
const output = (id: string, text: JsonObject['output'] = 'done'): JsonObject => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
})
const toolCall = (id: string, name = 'read', args = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const result = (id: string, content = 'done'): JsonObject => ({ role: 'tool', tool_call_id: id, content })

describe('the messages', () => {
  it('hold a text as it is, behind the instructions', () => {
    expect(translate({ instructions: 'Be brief.' }).body.messages).toEqual([
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ])
  })

  it('join leading instructions, as templates of open models want', () => {
    const input = [
      { type: 'message', role: 'developer', id: 'msg_1', content: [{ type: 'input_text', text: 'One.' }] },
      { role: 'system', content: 'Two.' },
      userText('Hi'),
      { role: 'developer', content: 'Three.' },
    ]
    expect(messagesFor(input)).toEqual([
      { role: 'developer', content: 'One.\n\nTwo.' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'Three.' },
    ])
  })

  it('make one assistant message of thoughts, text and calls in a row', () => {
    const input = [
      userText('Hi'),
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], content: null },
      { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }], phase: 'commentary' },
      call('a'),
      call('b'),
      output('b'),
      output('a'),
    ]
    expect(messagesFor(input)).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm',
        tool_calls: [toolCall('a'), toolCall('b')],
      },
      result('b'),
      result('a'),
    ])
  })

  it('keep the thoughts of every turn, not only of the first', () => {
    const thought = (text: string) => ({ type: 'reasoning', content: [{ type: 'reasoning_text', text }] })
    const input = [thought('1'), call('a'), output('a'), thought('2'), call('b'), output('b')]
    expect(messagesFor(input)).toMatchObject([
      { role: 'assistant', reasoning_content: '1', tool_calls: [{ id: 'a' }] },
      { role: 'tool' },
      { role: 'assistant', reasoning_content: '2', tool_calls: [{ id: 'b' }] },
      { role: 'tool' },
    ])
  })

  it('put nothing between a call and its result', () => {
    const input = [
      call('a'),
      call('b'),
      userText('Wait'),
      output('a'),
      { role: 'assistant', content: 'Hm' },
      output('b'),
    ]
    expect(messagesFor(input)).toEqual([
      { role: 'assistant', content: null, tool_calls: [toolCall('a'), toolCall('b')] },
      result('a'),
      result('b'),
      { role: 'user', content: 'Wait' },
      { role: 'assistant', content: 'Hm' },
    ])
  })

  it('show images of results after all results of the round', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'original' }
    const input = [
      call('a'),
      call('b'),
      output('a', [{ type: 'input_text', text: 'a picture' }, image]),
      output('b'),
      userText('And?'),
    ]
    expect(messagesFor(input)).toEqual([
      { role: 'assistant', content: null, tool_calls: [toolCall('a'), toolCall('b')] },
      result('a', 'a picture'),
      result('b'),
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'high' } }],
      },
      { role: 'user', content: 'And?' },
    ])
  })

  it('carry images and files', () => {
    const content = [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' },
    ]
    expect(messagesFor([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
        ],
      },
    ])
  })

  it('keep a refusal as one', () => {
    const input = [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }]
    expect(messagesFor(input)).toEqual([{ role: 'assistant', content: null, refusal: 'No.' }])
  })

  it('leave out thoughts that only the account that sealed them can read', () => {
    const input = [{ type: 'reasoning', summary: [], encrypted_content: 'gAAA' }, userText('Hi')]
    const { body, dropped } = translate({ input })
    expect(body.messages).toEqual([{ role: 'user', content: 'Hi' }])
    expect(dropped).toEqual(['reasoning'])
  })

  it('shorten ids of calls that hosts refuse, of a call and its result alike', () => {
    const id = 'call_'.padEnd(90, 'x')
    const [assistant, tool] = messagesFor([call(id), output(id)]) as readonly JsonObject[]
    const short = String(tool?.tool_call_id)
    expect(short.length).toBeLessThanOrEqual(64)
    expect(assistant).toMatchObject({ tool_calls: [{ id: short }] })
  })

  it('find again what an id of ours carries', () => {
    const context = createAnswerContext({
      seed: 's',
      native: {},
      userAgent: '',
      model: 'm',
      createdAt: 0,
      promptTokens: 9,
    })
    const item = answerItem({ kind: 'text', text: 'Hello', logprobs: [], annotations: [] }, 'completed')
    const id = context.keptItemId(item, 0)
    const { body, state } = translate({
      input: [userText('Hi'), { type: 'item_reference', id }, userText('So?')],
    })
    expect(state).toBeNull()
    expect(body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user' },
    ])
  })

  test.each(['msg_1', 'msg_bs_1_kept_nonsense', 'msg_bs_1_kept_'])('%s carries nothing', id => {
    expect(translate({ input: [{ type: 'item_reference', id }] }).state).toBe('input[0]')
  })
})

describe('the tools', () => {
  const namespace = {
    type: 'namespace',
    name: 'multi_agent_v1',
    tools: [
      { type: 'function', name: 'close_agent', parameters: { type: 'object' }, strict: false },
      {
        type: 'custom',
        name: 'exec',
        description: 'Runs.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
    ],
  }

  it('are functions, whatever they were', () => {
    const tools = [
      { type: 'function', name: 'read', description: 'Reads.', parameters: null, strict: true },
      {
        type: 'custom',
        name: 'apply_patch',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "*"' },
      },
      namespace,
    ]
    const { body } = translate({ tools, parallel_tool_calls: true, tool_choice: 'auto' })
    expect(body).toMatchObject({
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [
        {
          type: 'function',
          function: {
            name: 'read',
            description: 'Reads.',
            parameters: { type: 'object', properties: {} },
            strict: true,
          },
        },
        {
          function: {
            name: 'apply_patch',
            description: expect.stringContaining('lark grammar:\nstart: "*"'),
            parameters: { required: ['input'] },
          },
        },
        { function: { name: 'multi_agent_v1__close_agent' } },
        { function: { name: 'multi_agent_v1__exec', description: expect.stringContaining('start: "x"') } },
      ],
    })
  })

  it('of a namespace come back as its members, in the history too', () => {
    const tools = [namespace, { type: 'function', name: 'other__thing' }]
    const table = createToolTable({ tools })
    expect(table.originOf('multi_agent_v1__close_agent')).toMatchObject({
      name: 'close_agent',
      namespace: 'multi_agent_v1',
    })
    expect(table.originOf('other__thing')).toMatchObject({ name: 'other__thing', namespace: null })
    const input = [call('a', 'close_agent', { namespace: 'multi_agent_v1' }), output('a')]
    const { body } = translate({ tools, input })
    expect(body.messages).toMatchObject([
      { tool_calls: [{ function: { name: 'multi_agent_v1__close_agent' } }] },
      {},
    ])
  })

  it('never share a name', () => {
    const tools = [{ type: 'function', name: 'multi_agent_v1__close_agent' }, namespace]
    const names = createToolTable({ tools }).functions.map(({ tool }) => (tool.function as JsonObject).name)
    expect(new Set(names).size).toBe(3)
  })

  it('get a name that hosts take, and keep their own', () => {
    const long = 'mcp__'.padEnd(80, 'x')
    const table = createToolTable({
      tools: [
        { type: 'function', name: long },
        { type: 'function', name: 'a.b c' },
      ],
    })
    for (const { tool, origin } of table.functions) {
      const { name } = tool.function as JsonObject
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(table.originOf(String(name))).toBe(origin)
    }
    expect(table.functions.map(({ origin }) => origin.name)).toEqual([long, 'a.b c'])
  })

  it('come from items too', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [namespace] },
      { type: 'tool_search_call', call_id: 's', execution: 'client', arguments: { query: 'read' } },
      { type: 'tool_search_output', call_id: 's', tools: [{ type: 'function', name: 'read' }] },
    ]
    const tools = [
      { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: { type: 'object' } },
    ]
    const { body } = translate({ input, tools })
    expect(body.tools).toMatchObject([
      { function: { name: 'tool_search' } },
      { function: { name: 'multi_agent_v1__close_agent' } },
      { function: { name: 'multi_agent_v1__exec' } },
      { function: { name: 'read' } },
    ])
    expect(body.messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [toolCall('s', 'tool_search', '{"query":"read"}')] },
      result('s', 'Tools that can be called now: read'),
    ])
  })

  it('of a provider are left out visibly', () => {
    const tools = [{ type: 'web_search' }, { type: 'function', name: 'read' }]
    const { body, dropped, native } = translate({ tools, tool_choice: 'auto' })
    expect(body.tools).toHaveLength(1)
    expect({ dropped, native }).toEqual({ dropped: ['tools.web_search'], native: null })
  })

  test.each([
    [{ tools: [{ type: 'web_search' }] }, 'tools'],
    [
      {
        tools: [{ type: 'web_search' }, { type: 'function', name: 'read' }],
        tool_choice: { type: 'web_search' },
      },
      'tool_choice',
    ],
  ])('of a provider that cannot be left out need an endpoint of this API: %j', (fields, param) => {
    expect(translate(fields).native).toBe(param)
  })

  const two = [
    { type: 'function', name: 'read' },
    { type: 'custom', name: 'shell' },
  ]
  test.each([
    [{ type: 'function', name: 'read' }, { type: 'function', function: { name: 'read' } }, 2],
    [{ type: 'custom', name: 'shell' }, { type: 'function', function: { name: 'shell' } }, 2],
    ['required', 'required', 2],
    [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'shell' }] }, 'required', 1],
  ])('are chosen as the client says: %j', (choice, translated, count) => {
    const { body } = translate({ tools: two, tool_choice: choice })
    expect(body.tool_choice).toEqual(translated)
    expect(body.tools).toHaveLength(count)
  })

  it('are not chosen where there are none', () => {
    expect(
      Object.keys(translate({ tools: [], tool_choice: 'auto', parallel_tool_calls: true }).body),
    ).toEqual(['model', 'messages'])
  })
})

describe('other fields', () => {
  it('have other names', () => {
    const { body, dropped } = translate({
      text: {
        format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
      reasoning: { effort: 'high', summary: 'auto' },
      max_output_tokens: 10,
      top_logprobs: 2,
      include: ['reasoning.encrypted_content'],
      client_metadata: { session_id: 'x' },
      store: false,
      temperature: 0.5,
    })
    expect(body).toEqual({
      model: 'house',
      store: false,
      temperature: 0.5,
      messages: [{ role: 'user', content: 'Hi' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
      },
      verbosity: 'low',
      reasoning_effort: 'high',
      max_completion_tokens: 10,
      logprobs: true,
      top_logprobs: 2,
    })
    expect(dropped).toEqual([])
  })

  test.each([
    ['previous_response_id', 'resp_1'],
    ['conversation', 'conv_1'],
    ['background', true],
    ['prompt', { id: 'p' }],
  ])('%s needs the endpoint that holds the state', (name, value) => {
    expect(translate({ [name]: value }).state).toBe(name)
  })

  test.each([
    [
      [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }],
      'state',
      'input[0].content[0].file_id',
    ],
    [[{ type: 'computer_call', call_id: 'a' }], 'native', 'input[0]'],
    [[{ type: 'compaction', encrypted_content: 'x' }], 'native', 'input[0]'],
  ] as const)('no translation of %j', (input, need, param) => {
    expect(translate({ input })[need]).toBe(param)
  })

  it('are left out visibly where nobody knows them', () => {
    expect(translate({ max_tool_calls: 3, brand_new: 1 }).dropped).toEqual(['max_tool_calls', 'brand_new'])
  })
})
