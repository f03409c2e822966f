import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { translateMessages } from '../../../../lambdas/http/surfaces/messages/translate-request.ts'

const HELLO = { role: 'user', content: 'Hello?' }
const translate = (fields: JsonObject) =>
  translateMessages({ model: 'house', max_tokens: 100, messages: [HELLO], ...fields })
const bodyOf = (fields: JsonObject) => translate(fields).body
const messagesOf = (messages: readonly JsonObject[], fields: JsonObject = {}) =>
  bodyOf({ messages, ...fields }).messages

const used = (id: string, name = 'read', input: JsonObject = { path: 'x' }) => ({
  type: 'tool_use',
  id,
  name,
  input,
})
const result = (id: string, fields: JsonObject = { content: 'done' }) => ({
  type: 'tool_result',
  tool_use_id: id,
  ...fields,
})
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
const IMAGE_PART = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

describe('the system prompt', () => {
  test.each([
    ['a string', 'Be brief.', [{ role: 'system', content: 'Be brief.' }]],
    [
      'blocks, without the one that changes with every request',
      [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' },
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Be kind.' },
      ],
      [{ role: 'system', content: 'Be brief.\n\nBe kind.' }],
    ],
    ['nothing', [], []],
  ])('is one leading message: %s', (_, system, expected) => {
    expect(messagesOf([HELLO], { system })).toEqual([...expected, HELLO])
  })

  it('in the middle of a conversation goes with what the user said before', () => {
    const block = { type: 'text', text: 'Now in French.' }
    expect(messagesOf([HELLO, { role: 'system', content: [block] }])).toEqual([
      { role: 'user', content: 'Hello?\n\nNow in French.' },
    ])
    expect(
      messagesOf([
        { role: 'user', content: [IMAGE] },
        { role: 'system', content: 'Look.' },
      ]),
    ).toEqual([{ role: 'user', content: [IMAGE_PART, { type: 'text', text: 'Look.' }] }])
    const later = [HELLO, { role: 'assistant', content: 'Hi' }, { role: 'system', content: 'Look.' }]
    expect(messagesOf(later)).toMatchObject([{}, { role: 'assistant' }, { role: 'user', content: 'Look.' }])
  })
})

describe('what the user says', () => {
  it('is one string where it is text alone, and parts where it is not', () => {
    const texts = ['One.', 'Two.'].map(text => ({ type: 'text', text }))
    expect(messagesOf([{ role: 'user', content: texts }])).toEqual([
      { role: 'user', content: 'One.\n\nTwo.' },
    ])
    const url = { type: 'image', source: { type: 'url', url: 'https://x.example/y.png' } }
    expect(messagesOf([{ role: 'user', content: [...texts, IMAGE, url] }])).toEqual([
      {
        role: 'user',
        content: [...texts, IMAGE_PART, { type: 'image_url', image_url: { url: 'https://x.example/y.png' } }],
      },
    ])
  })

  test.each([
    [
      'text',
      { type: 'text', media_type: 'text/plain', data: 'Once.' },
      [{ type: 'text', text: 'Tale\nOnce.' }],
    ],
    [
      'content',
      { type: 'content', content: [{ type: 'text', text: 'Once.' }, IMAGE] },
      [{ type: 'text', text: 'Tale' }, { type: 'text', text: 'Once.' }, IMAGE_PART],
    ],
    [
      'a PDF',
      { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      [{ type: 'file', file: { filename: 'Tale', file_data: 'data:application/pdf;base64,JVBE' } }],
    ],
  ])('may hold a document: %s', (_, source, parts) => {
    const content = [{ type: 'document', title: 'Tale', source }, IMAGE]
    expect(messagesOf([{ role: 'user', content }])).toEqual([
      { role: 'user', content: [...parts, IMAGE_PART] },
    ])
  })

  test.each([
    ['a file', { type: 'image', source: { type: 'file', file_id: 'f' } }, 'messages[0].content[0].source'],
    [
      'a document by URL',
      { type: 'document', source: { type: 'url', url: 'https://x.example' } },
      'messages[0].content[0].source',
    ],
    ['a container', { type: 'container_upload', file_id: 'f' }, 'messages[0].content[0]'],
  ])('is for a native endpoint where only its provider can read it: %s', (_, block, param) => {
    const { native, body } = translate({ messages: [{ role: 'user', content: [block] }] })
    expect(native).toBe(param)
    // Otherwise a request of nothing else would be refused before anybody could read it.
    expect(body.messages).toHaveLength(1)
  })
})

describe('a round of tools', () => {
  it.each([
    ['{"path":"x"}', '{"path":"x"}'],
    ['x', '"x"'],
    [null, '{}'],
  ])('has its input as an object where one was written as text: %j', (input, args) => {
    const turns = [HELLO, { role: 'assistant', content: [{ ...used('t1'), input }] }]
    expect(messagesOf(turns)).toMatchObject([HELLO, { tool_calls: [{ function: { arguments: args } }] }])
  })

  it('has its results directly behind the calls, whatever else the turn says', () => {
    const turns = [
      HELLO,
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, used('t1'), used('t2')] },
      { role: 'user', content: [{ type: 'text', text: 'Mind the time.' }, result('t2'), result('t1')] },
    ]
    expect(messagesOf(turns)).toEqual([
      HELLO,
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: ['t1', 't2'].map(id => ({
          id,
          type: 'function',
          function: { name: 'read', arguments: '{"path":"x"}' },
        })),
      },
      { role: 'tool', tool_call_id: 't2', content: 'done' },
      { role: 'tool', tool_call_id: 't1', content: 'done' },
      { role: 'user', content: 'Mind the time.' },
    ])
  })

  it('shows images of results in a message of the user after all of them', () => {
    const content = [
      result('t1', { content: [{ type: 'text', text: 'See' }, IMAGE] }),
      result('t2'),
      { type: 'text', text: 'What is it?' },
    ]
    expect(messagesOf([{ role: 'user', content }])).toEqual([
      { role: 'tool', tool_call_id: 't1', content: 'See' },
      { role: 'tool', tool_call_id: 't2', content: 'done' },
      { role: 'user', content: [IMAGE_PART, { type: 'text', text: 'What is it?' }] },
    ])
  })

  test.each([
    ['an error', { content: 'No such file', is_error: true }, 'Error: No such file'],
    ['nothing', {}, ' '],
    ['an empty list', { content: [] }, ' '],
    ['tools that a search has found', { content: [{ type: 'tool_reference', tool_name: 'send' }] }, 'send'],
  ])('tells %s as text', (_, fields, content) => {
    expect(messagesOf([{ role: 'user', content: [result('t1', fields)] }])).toEqual([
      { role: 'tool', tool_call_id: 't1', content },
    ])
  })

  it('gives a call and its result the same id, short enough for every host', () => {
    const id = `toolu_${'x'.repeat(80)}`
    const [, call, answer] = messagesOf([
      HELLO,
      { role: 'assistant', content: [used(id)] },
      { role: 'user', content: [result(id)] },
    ]) as [JsonObject, { tool_calls: [{ id: string }] }, JsonObject]
    expect(call.tool_calls[0].id.length).toBeLessThanOrEqual(64)
    expect(answer.tool_call_id).toBe(call.tool_calls[0].id)
  })
})

describe('what the assistant said', () => {
  it('is one message, although it was two turns', () => {
    const turns = [
      HELLO,
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }, used('t1')] },
      { role: 'assistant', content: [used('t2')] },
    ]
    expect(messagesOf(turns)).toMatchObject([
      HELLO,
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        tool_calls: [{ id: 't1' }, { id: 't2' }],
      },
    ])
  })

  it('is nothing where it was only a thought', () => {
    const thought = { type: 'thinking', thinking: 'Hm.', signature: '' }
    expect(messagesOf([HELLO, { role: 'assistant', content: [thought] }, HELLO])).toEqual([HELLO, HELLO])
  })

  it('loses what only its provider can read, visibly, call and result in one', () => {
    const content = [
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'It rains.' },
    ]
    const { body, dropped, native } = translate({ messages: [HELLO, { role: 'assistant', content }] })
    expect(body.messages).toEqual([HELLO, { role: 'assistant', content: 'It rains.' }])
    expect(dropped).toEqual(['thinking', 'server_tool_use', 'web_search_tool_result'])
    expect(native).toBeNull()
  })
})

describe('tools', () => {
  const READ = { name: 'read', description: 'Reads.', input_schema: { type: 'object', $schema: 'x' } }
  const SEARCH = { type: 'web_search_20250305', name: 'web_search' }

  it('are functions, without what the chat API does not know', () => {
    const tool = { ...READ, type: 'custom', strict: true, cache_control: {}, input_examples: [] }
    expect(bodyOf({ tools: [tool, { name: 'bare' }] }).tools).toEqual([
      {
        type: 'function',
        function: { name: 'read', description: 'Reads.', parameters: { type: 'object' }, strict: true },
      },
      { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } },
    ])
  })

  test.each([
    [{ type: 'auto' }, { tool_choice: 'auto' }],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'read' }, { tool_choice: { type: 'function', function: { name: 'read' } } }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
  ])('are chosen by %j', (choice, expected) => {
    expect(bodyOf({ tools: [READ], tool_choice: choice })).toMatchObject(expected)
  })

  it('of a host are left out, visibly, unless there is no other or it is forced', () => {
    const { body, dropped, native } = translate({ tools: [READ, SEARCH] })
    expect([body.tools, dropped, native]).toEqual([[expect.anything()], ['tools.web_search'], null])
    expect(translate({ tools: [SEARCH] }).native).toBe('tools')
    const forced = { type: 'tool', name: 'web_search' }
    expect(translate({ tools: [READ, SEARCH], tool_choice: forced }).native).toBe('tool_choice')
  })

  it('that are deferred are offered once a search has found them', () => {
    const tools = [READ, { name: 'send', input_schema: { type: 'object' }, defer_loading: true }]
    expect(bodyOf({ tools }).tools).toHaveLength(1)
    const found = result('t1', { content: [{ type: 'tool_reference', tool_name: 'send' }] })
    expect(bodyOf({ tools, messages: [{ role: 'user', content: [found] }] }).tools).toHaveLength(2)
  })

  it('get names that every host takes, in the history too', () => {
    const name = `mcp__${'long_'.repeat(20)}`
    const body = bodyOf({
      tools: [{ name, input_schema: {} }],
      messages: [HELLO, { role: 'assistant', content: [used('t1', name)] }],
    }) as {
      tools: [{ function: { name: string } }]
      messages: [unknown, { tool_calls: [{ function: { name: string } }] }]
    }
    const chatName = body.tools[0].function.name
    expect(chatName).toMatch(/^[\w-]{1,64}$/)
    expect(body.messages[1].tool_calls[0].function.name).toBe(chatName)
  })
})

describe('how the model should answer', () => {
  test.each([
    [{ thinking: { type: 'disabled' } }, { reasoning_effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, { reasoning_effort: 'low' }],
    [{ thinking: { type: 'enabled', budget_tokens: 16_000 } }, { reasoning_effort: 'medium' }],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, { reasoning_effort: 'high' }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, { reasoning_effort: 'high' }],
    [{ output_config: { effort: 'low' } }, { reasoning_effort: 'low' }],
    [{ stop_sequences: ['END'] }, { stop: ['END'] }],
    [
      { temperature: 0.5, top_p: 0.9, stream: true },
      { temperature: 0.5, top_p: 0.9, stream: true },
    ],
    [
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
        },
      },
    ],
  ])('is carried over: %j', (fields, expected) => {
    expect(bodyOf(fields)).toMatchObject({ model: 'house', max_tokens: 100, ...expected })
  })

  it('is not asked for where nothing was said', () => {
    expect(Object.keys(bodyOf({ thinking: { type: 'adaptive' } }))).toEqual([
      'model',
      'max_tokens',
      'messages',
    ])
  })

  it('names what is left out, and nothing that changes no answer', () => {
    const cached = {
      role: 'user',
      content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
    }
    const { dropped } = translate({
      messages: [cached],
      metadata: { user_id: '{}' },
      top_k: 40,
      speed: 'fast',
      context_management: { edits: [] },
      something_new: 1,
    })
    expect(dropped).toEqual(['top_k', 'speed', 'context_management', 'something_new', 'cache_control'])
  })

  test.each(['mcp_servers', 'container', 'thread'])(
    'is for a native endpoint where its provider runs it: %s',
    name => {
      expect(translate({ [name]: [{ type: 'url' }] }).native).toBe(name)
    },
  )
})
