import { describe, expect, it, test } from 'vitest'
import { createFold } from '../../../lambdas/core/answers/fold/fold-chunks.ts'
import { createStreamReader, type StreamFault } from '../../../lambdas/core/answers/stream-reader.ts'
import { isJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { callId } from '../../support/fold-all.ts'

type Read = {
  fault: StreamFault | null
  content: unknown
  calls: [string, string][]
  ids: string[]
  finish: unknown
}

/** What these events add up to, and the fault that ended them. */
function read(
  events: readonly string[],
  wanted = 1,
): Read & { chunks: readonly JsonObject[]; completion: JsonObject } {
  const reader = createStreamReader({ wanted, callId })
  const fold = createFold()
  const chunks: JsonObject[] = []
  let fault: StreamFault | null = null
  for (const next of [...events.map(data => () => reader.add(data)), () => reader.end()]) {
    const step = next()
    chunks.push(...step.parts.map(({ json }) => json))
    fault ??= step.fault
    if (fault) break
  }
  for (const chunk of chunks) fold.add(chunk)
  const completion = fold.completion()
  const [choice] = completion.choices as readonly JsonObject[]
  const message = isJsonObject(choice?.message) ? choice.message : {}
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).filter(isJsonObject)
  return {
    fault,
    content: message.content,
    calls: calls.map(call => {
      const { name, arguments: args } = call.function as JsonObject
      return [String(name), String(args)]
    }),
    ids: calls.map(({ id }) => String(id)),
    finish: choice?.finish_reason,
    chunks,
    completion,
  }
}

const chunk = (delta: JsonObject, finish: string | null = null): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
const said = (content: string, finish: string | null = null): string => chunk({ content }, finish)
const call = (fields: JsonObject): string => chunk({ tool_calls: [fields] })
const fn = (name: string, args?: unknown): JsonObject => ({
  name,
  ...(args === undefined ? {} : { arguments: args as string }),
})
const DONE = '[DONE]'

describe('text arrives whole', () => {
  test.each<[string, readonly string[], string]>([
    [
      'where a last message repeats it',
      [
        said('Hel'),
        said('lo'),
        '{"choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}]}',
        DONE,
      ],
      'Hello',
    ],
    [
      'where the message stands beside an empty delta',
      [
        said('Hi'),
        '{"choices":[{"index":0,"delta":{},"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}',
        DONE,
      ],
      'Hi',
    ],
    [
      'where messages are pieces',
      [
        '{"choices":[{"message":{"content":"Hel"}}]}',
        '{"choices":[{"message":{"content":"lo"},"finish_reason":"stop"}]}',
      ],
      'Hello',
    ],
    [
      'where messages grow',
      [
        '{"choices":[{"message":{"content":"Hel"}}]}',
        '{"choices":[{"message":{"content":"Hello"}}]}',
        '{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}',
      ],
      'Hello',
    ],
    [
      'where a whole completion is one event',
      [
        '{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}',
        DONE,
      ],
      'Hello',
    ],
    ['where a delta is text', ['{"choices":[{"delta":"Hello"}]}', DONE], 'Hello'],
    [
      'where a choice holds text',
      ['{"choices":[{"text":"Hel"}]}', '{"choices":[{"text":"lo","finish_reason":"stop"}]}'],
      'Hello',
    ],
    ['where chunks are a list', [`[${said('Hel')},${said('lo', 'stop')}]`], 'Hello'],
    ['where documents are glued', [`${said('Hel')}${said('lo', 'stop')}${DONE}`], 'Hello'],
    [
      'where events are glued with their field',
      [`${said('Hel')}data: ${said('lo', 'stop')}data: ${DONE}`],
      'Hello',
    ],
    ['where a line break glues them', [`${said('Hel')}\n${said('lo', 'stop')}\n${DONE}`], 'Hello'],
    ['where a tab is raw', [said('HelTABlo', 'stop').replace('TAB', '\t')], 'Hel\tlo'],
    ['where a line break is raw', [said('HelBREAKlo', 'stop').replace('BREAK', '\n')], 'Hel\nlo'],
    [
      'where a number is none',
      [
        '{"choices":[{"delta":{"content":"Hello"},"logprobs":{"content":[{"logprob":NaN},{"logprob":-Infinity}]},"finish_reason":"stop"}]}',
      ],
      'Hello',
    ],
    [
      'where the text speaks of NaN',
      [said('x = NaN, -Infinity', 'stop').replace('"finish', '"odds":NaN,"finish')],
      'x = NaN, -Infinity',
    ],
    [
      'around an event that lost only labels',
      [said('Hel'), '{"id":"c","object":"chat.comp', said('lo', 'stop')],
      'Hello',
    ],
    ['around words that say nothing', [said('Hel'), 'keep-alive', 'null', '7', said('lo', 'stop')], 'Hello'],
    ['with a finish on every chunk', [said('Hel', 'stop'), said('lo', 'stop'), DONE], 'Hello'],
    [
      'with an empty error beside it',
      [
        '{"error":{},"choices":[{"delta":{"content":"Hello"},"error":{"message":"","code":0},"finish_reason":"stop"}]}',
      ],
      'Hello',
    ],
  ])('%s', (_, events, content) => {
    expect(read(events)).toMatchObject({ fault: null, content, finish: 'stop' })
  })
})

describe('a fragment is told', () => {
  test.each<[string, readonly string[], StreamFault['kind']]>([
    ['where text was cut', [said('Hel'), '{"choices":[{"delta":{"content":"lo', said('!', 'stop')], 'lost'],
    [
      'where the tail of an event strayed',
      [said('Hel'), '"delta":{"content":"lo"}}]}', said('!', 'stop')],
      'lost',
    ],
    [
      'where a cut event names tool calls',
      [said('Hel'), '{"choices":[{"delta":{"tool_calls":[{"ind', said('!', 'stop')],
      'lost',
    ],
    ['where words stand before [DONE]', [said('Hel'), 'upstream connect error', DONE], 'refused'],
    ['where HTML stands before the end', [said('Hel'), '<html><title>502</title></html>'], 'refused'],
    ['where an error is a list', [said('Hel'), '[{"error":{"code":503,"message":"busy"}}]', DONE], 'refused'],
    ['where an error is glued to text', [`${said('Hel')}{"error":{"message":"busy"}}`, DONE], 'refused'],
    ['where a text is JSON', [said('Hel'), '"Internal error"', DONE], 'refused'],
    [
      'where an error follows an event that was cut',
      [said('Hel'), '{"id":"c","obj\n{"error":{"message":"busy"}}', said('!', 'stop')],
      'refused',
    ],
    [
      'where arguments are cut before [DONE]',
      [call({ index: 0, id: 'a', function: fn('f', '{"x":') }), DONE],
      'cut',
    ],
  ])('%s', (_, events, kind) => {
    expect(read(events).fault?.kind).toBe(kind)
  })
})

describe('tool calls arrive whole', () => {
  test.each<[string, readonly string[], [string, string][]]>([
    [
      'with arguments as an object',
      [call({ id: 'a', function: fn('f', { x: 1 }) }), chunk({}, 'tool_calls')],
      [['f', '{"x":1}']],
    ],
    [
      'with arguments of null',
      [call({ index: 0, id: 'a', function: { name: 'f', arguments: null } }), chunk({}, 'stop')],
      [['f', '{}']],
    ],
    [
      'without arguments before [DONE]',
      [call({ index: 0, id: 'a', function: fn('f') }), DONE],
      [['f', '{}']],
    ],
    [
      'with the name after the id',
      [call({ index: 0, id: 'a', type: 'function' }), call({ index: 0, function: fn('f', '{}') }), DONE],
      [['f', '{}']],
    ],
    [
      'with name and arguments in every delta',
      [
        call({ index: 0, id: 'a', function: fn('f', '{"x"') }),
        call({ index: 0, id: 'a', function: fn('f', ':1}') }),
        DONE,
      ],
      [['f', '{"x":1}']],
    ],
    [
      'told twice',
      [
        call({ index: 0, id: 'a', function: fn('f', '{"x":1}') }),
        call({ index: 0, id: 'a', function: fn('f', '{"x":1}') }),
        DONE,
      ],
      [['f', '{"x":1}']],
    ],
    [
      'repeated in a last message',
      [
        call({ index: 0, id: 'a', function: fn('f', '{"x":1}') }),
        '{"choices":[{"index":0,"message":{"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"x\\":1}"}}]},"finish_reason":"tool_calls"}]}',
        DONE,
      ],
      [['f', '{"x":1}']],
    ],
    [
      'of one function in one delta without ids',
      [
        chunk({
          tool_calls: [
            { index: 0, function: fn('f', '{"x":1}') },
            { index: 0, function: fn('f', '{"x":2}') },
          ],
        }),
        DONE,
      ],
      [
        ['f', '{"x":1}'],
        ['f', '{"x":2}'],
      ],
    ],
    [
      'under one id and one index',
      [
        call({ index: 0, id: 'a', function: fn('f', '{"x":1}') }),
        call({ index: 0, id: 'a', function: fn('g', '{"y":1}') }),
        DONE,
      ],
      [
        ['f', '{"x":1}'],
        ['g', '{"y":1}'],
      ],
    ],
    [
      'where an empty object comes before the arguments',
      [
        call({ index: 0, id: 'a', function: fn('f', '{}') }),
        call({ index: 0, function: { arguments: '{"x"' } }),
        call({ index: 0, function: { arguments: ':1}' } }),
        chunk({}, 'tool_calls'),
      ],
      [['f', '{"x":1}']],
    ],
    [
      'where the arguments come again at the end, without an id',
      [
        call({ index: 0, id: 'a', function: fn('f', '') }),
        call({ index: 0, function: { arguments: '{"x":1}' } }),
        call({ index: 0, function: { arguments: '{"x":1}' } }),
        chunk({}, 'tool_calls'),
      ],
      [['f', '{"x":1}']],
    ],
    [
      'in two deltas of one chunk',
      [
        chunk({
          tool_calls: [
            { index: 0, id: 'a', type: 'function', function: fn('f', '') },
            { index: 0, function: { arguments: '{"x":1}' } },
          ],
        }),
        DONE,
      ],
      [['f', '{"x":1}']],
    ],
    [
      'that only a message brings',
      [
        said('Let me see.'),
        '{"choices":[{"index":0,"message":{"content":"Let me see.","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}',
      ],
      [['f', '{}']],
    ],
  ])('%s', (_, events, calls) => {
    const answer = read(events)
    expect(answer).toMatchObject({ fault: null, calls, finish: 'tool_calls' })
    expect(new Set(answer.ids.filter(Boolean)).size).toBe(calls.length)
  })

  test.each(['stop', 'STOP', 'eos', 'end_turn', 'tool_use', 'function_call', 'tool_call'])(
    'ended by %s',
    finish => {
      expect(read([call({ index: 0, id: 'a', function: fn('f', '{}') }), chunk({}, finish)]).finish).toBe(
        'tool_calls',
      )
    },
  )

  test.each(['length', 'content_filter', 'some_new_reason'])('ended by %s, which stays', finish => {
    expect(read([call({ index: 0, id: 'a', function: fn('f', '{}') }), chunk({}, finish)]).finish).toBe(
      finish,
    )
  })
})

describe('clients see', () => {
  const all = (events: readonly string[]) =>
    read(events).chunks.flatMap(({ choices }) => choices as readonly JsonObject[])

  it('each choice finish once, at its end', () => {
    const choices = all([said('a', 'stop'), chunk({}, 'stop'), said('b', 'stop'), chunk({}, 'stop'), DONE])
    expect(choices.map(({ finish_reason: finish }) => finish)).toEqual([null, null, null, 'stop'])
  })

  it('the finish before usage on a chunk of its own', () => {
    const usage = '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}'
    const { chunks } = read([said('a'), chunk({}, 'stop'), usage, DONE])
    expect(chunks.at(-1)).toHaveProperty('usage')
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
  })

  it('a role first, a name once, and no error that says nothing', () => {
    const choices = all([said('a'), said('b', 'stop')])
    expect(choices.filter(({ delta }) => isJsonObject(delta) && delta.role === 'assistant')).toHaveLength(1)
    expect(
      read(['{"error":{"message":""},"choices":[{"delta":{"content":"a"}}]}', DONE]).chunks[0],
    ).not.toHaveProperty('error')
  })

  it('well-made events exactly as they came', () => {
    const events = [chunk({ role: 'assistant', content: '' }), said('a'), chunk({}, 'stop')]
    const reader = createStreamReader({ wanted: 1, callId })
    const texts = [...events, DONE].flatMap(data => reader.add(data).parts.map(({ text }) => text))
    expect(texts).toEqual(events)
  })

  it('the digits of numbers past 2^53 where a chunk is written anew', () => {
    const [part] = read([
      '{"choices":[{"message":{"content":"a"},"seed":9007199254740993}],"created":9223372036854775807}',
      DONE,
    ]).chunks
    expect(JSON.stringify(part)).toContain('"seed":9007199254740993')
    expect(JSON.stringify(part)).toContain('"created":9223372036854775807')
  })

  it('usage that stood in a choice as the usage of the answer', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const { completion } = read([
      said('a'),
      JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }),
    ])
    expect(completion.usage).toEqual(usage)
  })
})
