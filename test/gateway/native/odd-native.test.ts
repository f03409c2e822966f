import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { nativeResponse } from '../responses/native-bodies.ts'
import { NATIVE_APIS, startNativeChain } from './native-chain.ts'

const api = NATIVE_APIS.find(({ path }) => path === '/v1/responses') ?? expect.fail('no such API')

const event = (type: string, fields: JsonObject = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const TEXTS = ['Hello ', 'world']
const NORMAL = api.eventsOf(TEXTS)
const created = NORMAL[0] ?? ''
const PLACE = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const delta = (text: string, place: JsonObject = PLACE): string =>
  event('response.output_text.delta', { ...place, delta: text })
const completed = (more: JsonObject = {}): string =>
  event('response.completed', { response: nativeResponse('Hello world', more) })
const EMPTY = completed({ output: [] })
const bareMessage = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [] }
const message = { ...bareMessage, content: [{ type: 'output_text', text: 'Hello world', annotations: [] }] }
const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', status: 'completed' }
const argumentsOf = (text: string): string =>
  event('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 0, delta: text })
const withoutText = (kinds: RegExp): string[] => NORMAL.filter(one => !kinds.test(one))

const FAILURES: readonly [string, string, string][] = [
  [
    'rate_limit_exceeded',
    'Rate limit reached for gpt-5.1 on tokens per min (TPM): Limit 500000, Used 499000, Requested 7000. Please try again in 11.054s.',
    'rate_limit',
  ],
  ['too_many_requests', 'Rate limit is exceeded. Try again in 17 seconds.', 'rate_limit'],
  [
    'insufficient_quota',
    'You exceeded your current quota, please check your plan and billing details.',
    'quota_exhausted',
  ],
  ['server_is_overloaded', 'Our servers are currently overloaded. Please try again later.', 'overloaded'],
  ['slow_down', 'Slow down.', 'overloaded'],
  [
    'context_length_exceeded',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'context_length',
  ],
  ['server_error', 'An error occurred while processing your request.', 'server_error'],
]

const failed = (error: JsonObject | null, more: JsonObject = {}): string =>
  event('response.failed', {
    response: nativeResponse('', { status: 'failed', output: [], usage: null, ...more, error }),
  })

const streamOf = (chunks: readonly string[]) => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  chunks,
})

describe('a response that failed', () => {
  test.each(FAILURES)('by %s is judged by its error', async (code, words, kind) => {
    // A response repeats its request, which may be longer than any error is read.
    const chunks = [created, failed({ code, message: words }, { instructions: 'Be brief. '.repeat(20_000) })]
    for (const stream of [true, false]) {
      await using chain = await startNativeChain(api, [streamOf(chunks)])
      const response = await chain.ask({ stream })
      expect(response.headers.get('x-backstop-chain')).toContain(`native/m;${kind};200`)
      expect(await response.text()).toContain('Chat.')
    }
  })

  test('is not called again before it may be', async () => {
    const chunks = [created, failed({ code: 'rate_limit_exceeded', message: FAILURES[0]?.[1] ?? '' })]
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    await (await chain.ask({ stream: true })).text()
    await chain.gateway.settled()
    await (await chain.ask({ stream: true })).text()
    expect(chain.first.calls()).toBe(1)
    await chain.clock.sleep(11_100, new AbortController().signal)
    await (await chain.ask({ stream: true })).text()
    expect(chain.first.calls()).toBe(2)
  })

  test.each([
    ['invalid_prompt', 'Invalid prompt.'],
    ['image_content_policy_violation', 'The image is not allowed.'],
  ])('by %s ends the chain with a filter', async (code, words) => {
    for (const stream of [true, false]) {
      await using chain = await startNativeChain(api, [streamOf([created, failed({ code, message: words })])])
      const response = await chain.ask({ stream })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(words)
      expect(chain.second.calls()).toBe(0)
    }
  })

  test.each([
    ['names no error', [created, failed(null)]],
    [
      'is called complete',
      [created, completed({ status: 'failed', error: { code: 'server_error', message: 'boom' } })],
    ],
    ['is called complete, and was cancelled', [created, completed({ status: 'cancelled' })]],
    [
      'is called complete beside an error and no status',
      [created, completed({ status: null, error: { message: 'boom' } })],
    ],
    [
      'is called incomplete',
      [
        created,
        event('response.incomplete', { response: nativeResponse('', { status: 'failed', output: [] }) }),
      ],
    ],
  ])('and %s is followed by the next endpoint', async (_, chunks) => {
    for (const stream of [true, false]) {
      await using chain = await startNativeChain(api, [streamOf(chunks)])
      expect(await (await chain.ask({ stream })).text()).toContain('Chat.')
    }
  })

  test('behind its output is a failure to its client, although it is called complete', async () => {
    const chunks = [
      ...NORMAL.slice(0, -1),
      completed({ status: 'failed', error: { code: 'server_error', message: 'boom' } }),
    ]
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    const text = await (await chain.ask({ stream: true })).text()
    expect(text).toContain('"type":"response.failed"')
    expect(text).not.toContain('"type":"response.completed"')
    expect(await (await chain.ask({ stream: false })).text()).toContain('Chat.')
  })
})

/** What no delta says, and clients read from what comes behind. */
const WITHOUT_DELTAS: readonly [string, readonly string[]][] = [
  ['nothing but its end', [created, completed()]],
  [
    'items that are whole',
    [
      created,
      event('response.output_item.added', { output_index: 0, item: bareMessage }),
      event('response.output_item.done', { output_index: 0, item: message }),
      completed(),
    ],
  ],
  ['no deltas', withoutText(/output_text\.delta/)],
  [
    'texts that are whole alone',
    [created, event('response.output_text.done', { ...PLACE, text: 'Hello world' }), completed()],
  ],
  ['an end without an event of its beginning', [completed()]],
]

describe('a stream of a response with', () => {
  test.each(WITHOUT_DELTAS)('%s is an answer', async (_, chunks) => {
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    expect(await (await chain.ask({ stream: true })).text()).toBe(chunks.join(''))
    expect(await (await chain.ask({ stream: false })).text()).toContain('Hello world')
    // The official client chokes on events whose item has not begun.
    if (!/output_text\.done/.test(chunks[1] ?? 'output_text.done'))
      expect(await api.read(chain.gateway.url)).toBe('Hello world')
    expect(chain.second.calls()).toBe(0)
  })

  test('a call in its end alone is an answer', async () => {
    const made = { ...call, arguments: '{"a":1}' }
    const chunks = [created, completed({ output: [made] })]
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    expect(await (await chain.ask({ stream: true })).text()).toBe(chunks.join(''))
    expect(await (await chain.ask({ stream: false })).json()).toMatchObject({ output: [made] })
    expect(chain.second.calls()).toBe(0)
  })

  test('an end that holds nothing is none', async () => {
    await using chain = await startNativeChain(api, [streamOf([created, EMPTY])])
    for (const stream of [true, false]) {
      expect(await (await chain.ask({ stream })).text()).toContain('Chat.')
    }
  })
})

/** Whose last event leaves something out that came before. */
const LOST_IN_THE_END: readonly [string, readonly string[]][] = [
  [
    'texts of parts and items',
    [
      ...NORMAL.slice(0, 6),
      event('response.content_part.done', {
        ...PLACE,
        part: { type: 'output_text', text: '', annotations: [] },
      }),
      event('response.output_item.done', { output_index: 0, item: bareMessage }),
      EMPTY,
    ],
  ],
  ['all but deltas that name no place', [created, delta('Hello ', {}), delta('world', {}), EMPTY]],
  ['ends of items', [...withoutText(/output_(?:text|item)\.done|response\.completed/), EMPTY]],
  [
    'output altogether',
    [
      ...NORMAL.slice(0, -1),
      event('response.completed', { response: { id: 'resp_1', object: 'response', status: 'completed' } }),
    ],
  ],
  ['the text of its message', [...NORMAL.slice(0, -1), completed({ output: [bareMessage] })]],
  [
    'all but the texts of parts',
    [
      created,
      event('response.content_part.done', {
        ...PLACE,
        part: { type: 'output_text', text: 'Hello world', annotations: [] },
      }),
      delta(' '),
      EMPTY,
    ],
  ],
  [
    'a message behind its thoughts',
    [
      created,
      event('response.output_item.done', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [] },
      }),
      delta('Hello ', { output_index: 1 }),
      delta('world', { output_index: 1 }),
      completed({ output: [{ id: 'rs_1', type: 'reasoning', summary: [] }] }),
    ],
  ],
]

type Output = { type: string; content?: { text: string }[]; arguments?: string; status?: string }[]

describe('a whole response that is put together of a stream which leaves out of its end', () => {
  test.each(LOST_IN_THE_END)('%s has it all the same', async (_, chunks) => {
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    const { output } = (await (await chain.ask({ stream: false })).json()) as { output: Output }
    const texts = output.flatMap(({ type, content = [] }) =>
      type === 'message' ? content.map(({ text }) => text) : [],
    )
    expect(texts).toEqual(['Hello world'])
    expect(chain.second.calls()).toBe(0)
    expect(await (await chain.ask({ stream: true })).text()).toBe(chunks.join(''))
  })

  test('a call has it all the same', async () => {
    const begun = event('response.output_item.added', { output_index: 0, item: { ...call, arguments: '' } })
    for (const end of [EMPTY, completed({ output: [{ ...call, arguments: '' }] })]) {
      await using chain = await startNativeChain(api, [
        streamOf([created, begun, argumentsOf('{"a"'), argumentsOf(':1}'), end]),
      ])
      const { output } = (await (await chain.ask({ stream: false })).json()) as { output: Output }
      expect(output).toEqual([{ ...call, arguments: '{"a":1}' }])
    }
  })

  test.each([
    [
      'half of a call',
      [
        event('response.output_item.added', { output_index: 0, item: { ...call, arguments: '' } }),
        argumentsOf('{"a":'),
      ],
    ],
    ['the name of a call', [argumentsOf('{"a":1}')]],
  ])('%s is given by the next endpoint', async (_, events) => {
    await using chain = await startNativeChain(api, [streamOf([created, ...events, EMPTY])])
    expect(await (await chain.ask({ stream: false })).text()).toContain('Chat.')
  })
})

describe('what is no event of a response', () => {
  test.each([
    'data: {"code":"1234","message":"Network error"}\n\n',
    'data: {"error_code":336100,"error_msg":"no capacity"}\n\n',
    '{"error":{"message":"x"}}\n\n',
    '<html><head><title>502 Bad Gateway</title></head></html>\n\n',
    'event: error\n\n',
  ])('is an error where it tells of one: %j', async complaint => {
    for (const rest of [NORMAL.slice(6), ['data: [DONE]\n\n']]) {
      await using chain = await startNativeChain(api, [streamOf([...NORMAL.slice(0, 6), complaint, ...rest])])
      const text = await (await chain.ask({ stream: true })).text()
      expect(text).toContain('"type":"response.failed"')
      expect(text).not.toContain('"type":"response.completed"')
      expect(await (await chain.ask({ stream: false })).text()).toContain('Chat.')
    }
  })

  test.each(['data: {"message":"queued"}\n\n', 'data: {"trace":"abc"}\n\n', 'data: {"error_code":0}\n\n'])(
    'is left out where it tells of none: %j',
    async notice => {
      await using chain = await startNativeChain(api, [streamOf(NORMAL.toSpliced(6, 0, notice))])
      expect(await (await chain.ask({ stream: true })).text()).toBe(NORMAL.join(''))
      expect(chain.second.calls()).toBe(0)
    },
  )
})

// https://github.com/mnfst/llm-gateway/issues/2072
test('a second response behind the end of the first is none of it', async () => {
  await using chain = await startNativeChain(api, [streamOf([...NORMAL, ...NORMAL, 'data: [DONE]\n\n'])])
  expect(await (await chain.ask({ stream: true })).text()).toBe(`${NORMAL.join('')}data: [DONE]\n\n`)
  const { output } = (await (await chain.ask({ stream: false })).json()) as { output: Output }
  expect(output.map(({ content }) => content?.map(({ text }) => text))).toEqual([['Hello world']])
})
