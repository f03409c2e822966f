import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isErrorEvent } from '../../../lambdas/core/answers/error-event.ts'
import { inspectChunk } from '../../../lambdas/core/answers/inspect-chunk.ts'
import type { Json, JsonObject } from '../../../lambdas/core/json.ts'

const choice = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  index: 0,
  delta,
  finish_reason,
})
const chunkWith = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  choices: [choice(delta, finish)],
})
const ERROR = { message: 'The model is overloaded.', code: 503 }

describe('an error in band', () => {
  const rows: [string, JsonObject][] = [
    ['alone', { error: ERROR }],
    ['as a text', { error: 'The model is overloaded.' }],
    ['beside choices', { ...chunkWith({ content: 'Hi' }), error: ERROR }],
    ['beside empty choices', { choices: [], error: ERROR }],
    ['beside empty choices and usage', { choices: [], usage: { prompt_tokens: 1 }, error: ERROR }],
    ['inside a choice', { choices: [{ ...choice({ content: '' }), error: ERROR }] }],
    ['inside a later choice', { choices: [choice({ content: 'Hi' }), { index: 1, error: ERROR }] }],
    ['as a finish reason', chunkWith({ content: '' }, 'error')],
    ['as a finish reason of the network', chunkWith({}, 'network_error')],
    ['as a finish reason of a starved backend', chunkWith({}, 'insufficient_system_resource')],
    ['as a finish reason in capitals', chunkWith({}, 'MALFORMED_FUNCTION_CALL')],
    [
      'as a finish reason of the host behind a relay',
      { choices: [{ ...choice({}, 'stop'), native_finish_reason: 'network_error' }] },
    ],
    ['under x_groq, as an object', { ...chunkWith({}), x_groq: { id: 'r', error: ERROR } }],
    ['under x_groq, as a text', { ...chunkWith({}), x_groq: { error: 'over capacity' } }],
    ['in a list of errors', { success: false, errors: [{ code: 3040, message: 'Capacity exceeded.' }] }],
    ['with nothing but a code', { ...chunkWith({}), error: { code: 503, message: '' } }],
    ['as a bad status of MiniMax', { choices: null, base_resp: { status_code: 1002, status_msg: 'limit' } }],
    ['flat, in the words of Spark', { code: 10_013, message: 'Blocked', sid: 's' }],
    ['flat, beside empty choices', { code: 500, msg: 'busy', choices: [] }],
    ['by its type', { type: 'error', error: ERROR }],
    [
      'flat, with a message',
      { object: 'error', message: 'Too many requests', type: 'rate_limit', code: 429 },
    ],
    ['flat, with a detail', { status: 404, title: 'Not Found', detail: 'Function not found.' }],
    ['flat, with a list of details', { detail: [{ loc: ['body', 'model'], msg: 'no such model' }] }],
    ['flat, with a detail of its own', { detail: { message: 'No instances available.' } }],
  ]
  test.each(rows)('is seen %s', (_, chunk) => {
    expect(isErrorEvent(chunk)).toBe(true)
  })
})

describe('no error is', () => {
  const rows: [string, JsonObject][] = [
    [
      'a good finish in the words of the host behind a relay',
      { choices: [{ ...choice({}, 'stop'), native_finish_reason: 'STOP', stop_reason: 'error' }] },
    ],
    ['error: null beside an answer', { ...chunkWith({ content: 'Hi' }), error: null }],
    ['an empty error object', { ...chunkWith({ content: 'Hi' }), error: {} }],
    [
      'an error whose every field is empty',
      {
        ...chunkWith({ content: 'Hi' }),
        error: { message: '', type: null, param: '', code: 0, details: [] },
      },
    ],
    ['an empty error text', { ...chunkWith({ content: 'Hi' }), error: '' }],
    ['an error that is false', { ...chunkWith({ content: 'Hi' }), error: false }],
    [
      'an empty error inside a choice',
      { choices: [{ ...choice({ content: 'Hi' }), error: { message: '' } }] },
    ],
    [
      'a good status of MiniMax',
      { ...chunkWith({ content: 'Hi' }), base_resp: { status_code: 0, status_msg: '' } },
    ],
    ['a code of zero beside choices', { ...chunkWith({ content: 'Hi' }), code: 0, message: 'Success' }],
    ['an empty list of errors', { ...chunkWith({ content: 'Hi' }), errors: [], success: true }],
    ['error: null inside a choice', { choices: [{ ...choice({ content: 'Hi' }), error: null }] }],
    ['a message beside choices', { ...chunkWith({ content: 'Hi' }), message: 'ok' }],
    ['an x_groq without error', { ...chunkWith({ content: 'Hi' }), x_groq: { id: 'req_1' } }],
    ['an answer that speaks of errors', chunkWith({ content: '{"error": "this is text"}' })],
    ['a finish reason that nobody knows', chunkWith({ content: 'Hi' }, 'eos_token')],
    ['a message event of another protocol', { type: 'message_start', message: { role: 'assistant' } }],
  ]
  test.each(rows)('%s', (_, chunk) => {
    expect(isErrorEvent(chunk)).toBe(false)
  })
})

describe('output', () => {
  const yes: [string, JsonObject][] = [
    ['text', chunkWith({ content: 'Hi' })],
    ['a blank', chunkWith({ content: ' ' })],
    ['text in parts', chunkWith({ content: [{ type: 'text', text: 'Hi' }] })],
    ['reasoning', chunkWith({ reasoning_content: 'Hm' })],
    ['reasoning under its shorter name', chunkWith({ content: '', reasoning: 'Hm' })],
    ['encrypted reasoning', chunkWith({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] })],
    ['a refusal', chunkWith({ content: null, refusal: 'No.' })],
    [
      'a tool call',
      chunkWith({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] }),
    ],
    ['a legacy function call', chunkWith({ function_call: { name: 'f', arguments: '' } })],
    ['audio', chunkWith({ audio: { id: 'a', data: 'AAAA' } })],
    ['an image', chunkWith({ images: [{ image_url: { url: 'data:' } }] })],
    ['a whole message', { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] }],
    ['text in a second choice only', { choices: [choice({}), { index: 1, delta: { content: 'Hi' } }] }],
  ]
  test.each(yes)('is %s', (_, chunk) => {
    expect(inspectChunk(chunk).choices.some(({ output }) => output)).toBe(true)
  })

  const no: [string, JsonObject][] = [
    ['a role', chunkWith({ role: 'assistant' })],
    ['a role with empty text', chunkWith({ role: 'assistant', content: '', refusal: null, tool_calls: [] })],
    ['a call of nothing', chunkWith({ function_call: { name: '', arguments: '' } })],
    ['a tool call that says nothing', chunkWith({ tool_calls: [{ index: 0, id: 'a', type: 'function' }] })],
    ['null text', chunkWith({ content: null, reasoning_content: null, audio: {} })],
    ['an empty delta with a finish', chunkWith({}, 'stop')],
    ['usage', { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }],
    [
      'an annotation without a delta',
      { choices: [{ index: 0, content_filter_results: {}, finish_reason: null }] },
    ],
    ['an annotation without choices', { choices: [], prompt_filter_results: [{ prompt_index: 0 }] }],
    ['nothing at all', {}],
  ]
  test.each(no)('is not %s', (_, chunk) => {
    expect(inspectChunk(chunk).choices.some(({ output }) => output)).toBe(false)
  })
})

describe('a finish reason', () => {
  const rows: [string, Json | undefined, string | null][] = [
    ['is passed on', 'stop', 'stop'],
    ['that is unknown never becomes stop', 'eos_token', 'eos_token'],
    ['that is null is none', null, null],
    ['that is empty is none', '', null],
    ['that says null is none', 'null', null],
    ['that is missing is none', undefined, null],
    ['that is no text is none', 0, null],
  ]
  test.each(rows)('%s', (_, finish_reason, finish) => {
    expect(inspectChunk({ choices: [{ index: 0, delta: {}, finish_reason }] }).choices).toMatchObject([
      { finish },
    ])
  })

  it('ends its own choice only', () => {
    const chunk = { choices: [{ index: 2, delta: {}, finish_reason: 'stop' }, choice({ content: 'Hi' })] }
    expect(inspectChunk(chunk)).toMatchObject({
      choices: [
        { index: 2, finish: 'stop' },
        { index: 0, finish: null },
      ],
    })
  })

  it('ends the choice at its place where choices carry no index', () => {
    const chunk = { choices: [{ delta: { content: 'Hi' } }, { delta: {}, finish_reason: 'stop' }] }
    expect(inspectChunk(chunk)).toMatchObject({
      choices: [
        { index: 0, finish: null },
        { index: 1, finish: 'stop' },
      ],
    })
  })
})

describe('usage', () => {
  const raw = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const rows: [string, JsonObject][] = [
    ['on a chunk of its own', { choices: [], usage: raw }],
    ['on the finish chunk', { ...chunkWith({}, 'stop'), usage: raw }],
    ['on any chunk', { ...chunkWith({ content: 'Hi' }), usage: raw }],
    ['under x_groq', { ...chunkWith({}, 'stop'), x_groq: { usage: raw } }],
    ['under x_groq beside a null', { ...chunkWith({}, 'stop'), usage: null, x_groq: { usage: raw } }],
  ]
  test.each(rows)('is found %s', (_, chunk) => {
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 }
    expect(inspectChunk(chunk)).toMatchObject({ usage })
  })

  it('is null where there is none', () => {
    expect(inspectChunk({ ...chunkWith({ content: 'Hi' }), usage: null })).toMatchObject({ usage: null })
  })
})

it('output that is reasoning alone is no answer yet', () => {
  expect(inspectChunk(chunkWith({ reasoning: 'Hm' })).choices).toMatchObject([
    { output: true, answer: false },
  ])
  expect(inspectChunk(chunkWith({ reasoning: 'Hm', content: 'Hi' })).choices).toMatchObject([
    { answer: true },
  ])
})

it('any JSON object can be inspected, and is never changed', () => {
  const field = fc.constantFrom(
    'choices',
    'error',
    'usage',
    'x_groq',
    'delta',
    'message',
    'finish_reason',
    'index',
  )
  const { chunk } = fc.letrec<{ value: Json; chunk: JsonObject }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json[]>(null, 0, true, '', 'error'),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('chunk'),
    ),
    chunk: fc.dictionary(field, tie('value'), { maxKeys: 4 }),
  }))
  fc.assert(
    fc.property(chunk, value => {
      const before = structuredClone(value)
      expect(typeof isErrorEvent(value)).toBe('boolean')
      inspectChunk(value)
      expect(value).toEqual(before)
    }),
  )
})
