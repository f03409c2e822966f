import { describe, expect, it, test } from 'vitest'
import { chatCompletions } from '../../../lambdas/http/surfaces/chat-completions.ts'
import { functionUrlEvent } from '../../support/function-url-event.ts'
import { rejectionOf } from '../refusal-of.ts'

const CALLER = { name: 'billing-app' }
const messages = [{ role: 'user', content: 'Hi' }]
const image = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }
const tool = { type: 'function', function: { name: 'f', parameters: {} } }

const parse = (changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  chatCompletions.parse(functionUrlEvent({ body: { model: 'm', messages, ...changes }, headers }), CALLER)

describe('a chat request', () => {
  it('has quiet defaults', async () => {
    expect(await parse()).toMatchObject({
      id: 'platform-id',
      caller: CALLER,
      alias: 'm',
      stream: false,
      includeUsage: false,
      buffer: false,
      fallback: true,
      dryRun: false,
      needs: { tools: false, vision: false, json: false },
    })
  })

  it('keeps the whole body untouched, unknown fields, nulls and orders included', async () => {
    const changes = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: {} }], name: 'n' }],
      future_field: { deep: [1, { x: null }] },
      metadata: { b: 1, a: 2 },
      temperature: null,
      tools: [{ ...tool, strict: true }],
    }
    const { body } = await parse(changes)
    expect(JSON.stringify(body)).toBe(JSON.stringify({ model: 'm', ...changes }))
  })

  it('is streamed where it says so, with usage where it says so', async () => {
    expect(await parse({ stream: true, stream_options: { include_usage: true } })).toMatchObject({
      stream: true,
      includeUsage: true,
    })
    expect(await parse({ stream: true, stream_options: {} })).toMatchObject({
      stream: true,
      includeUsage: false,
    })
    expect(await parse({ stream: null, stream_options: null })).toMatchObject({
      stream: false,
      includeUsage: false,
    })
  })

  it('is estimated by what it says', async () => {
    const long = await parse({ messages: [{ role: 'user', content: 'word '.repeat(4_000) }] })
    expect((await parse()).promptTokens).toBeGreaterThan(0)
    expect(long.promptTokens).toBeGreaterThan((await parse()).promptTokens + 1_000)
  })

  test.each([
    [
      'an assistant that only calls tools',
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', ...tool }] },
    ],
    ['an assistant without content', { role: 'assistant', tool_calls: [{ id: 'c', ...tool }] }],
    ['a tool result', { role: 'tool', tool_call_id: 'c', content: 'done' }],
    ['a role that nobody knows yet', { role: 'critic', content: 'Hm' }],
  ])('may hold %s', async (_, message) => {
    expect((await parse({ messages: [...messages, message] })).alias).toBe('m')
  })
})

describe('a request is refused, with the field at fault,', () => {
  const rows: [string, Record<string, unknown>, string, RegExp][] = [
    ['without a model', { model: undefined }, 'model', /'model' is missing/],
    ['with an empty model', { model: '' }, 'model', /'model' is empty/],
    ['with a model that is no text', { model: 4 }, 'model', /'model' is not valid/],
    ['without messages', { messages: undefined }, 'messages', /'messages' is missing/],
    ['with empty messages', { messages: [] }, 'messages', /'messages' is empty/],
    ['with messages that are no list', { messages: 'Hi' }, 'messages', /'messages' is not valid/],
    ['with a message that is no object', { messages: ['Hi'] }, 'messages[0]', /'messages\[0\]' is not valid/],
    [
      'with a message without role',
      { messages: [...messages, { content: 'Hi' }] },
      'messages[1].role',
      /messages\[1\]\.role/,
    ],
    [
      'with a content that is a number',
      { messages: [{ role: 'user', content: 7 }] },
      'messages[0].content',
      /content/,
    ],
    ['with a stream that is no boolean', { stream: 'true' }, 'stream', /'stream' is not valid/],
    [
      'with usage options that are no boolean',
      { stream_options: { include_usage: 1 } },
      'stream_options.include_usage',
      /include_usage/,
    ],
    [
      'with content that is a number',
      { messages: [{ role: 'user', content: 5 }] },
      'messages[0].content',
      /'messages\[0\]\.content' is not valid: expected a string or an array/,
    ],
    ['with tools that are no list', { tools: {} }, 'tools', /'tools' is not valid: expected an array/],
    ['with a fraction of an answer', { n: 1.5 }, 'n', /'n' is not valid: expected a whole number/],
    [
      'with no tokens to answer in',
      { max_tokens: 0 },
      'max_tokens',
      /'max_tokens' is not valid: expected more than 0/,
    ],
    [
      'with a temperature in words',
      { temperature: 'hot' },
      'temperature',
      /'temperature' is not valid: expected a number/,
    ],
    [
      'with a format that names no type',
      { response_format: {} },
      'response_format.type',
      /response_format\.type/,
    ],
  ]
  test.each(rows)('%s', async (_, changes, param, message) => {
    const refusal = await rejectionOf(parse(changes))
    expect(refusal).toMatchObject({ code: 'invalid_request', param })
    expect(refusal.message).toMatch(message)
  })
})

describe('a request needs', () => {
  const rows: [string, Record<string, unknown>, string[]][] = [
    ['nothing for plain text', {}, []],
    ['tools for tools', { tools: [tool] }, ['tools']],
    ['tools for legacy functions', { functions: [{ name: 'f' }] }, ['tools']],
    ['nothing for an empty list of tools', { tools: [], functions: null }, []],
    [
      'vision for an image',
      { messages: [{ role: 'user', content: [{ type: 'text', text: '?' }, image] }] },
      ['vision'],
    ],
    [
      'vision for an image in an earlier message',
      { messages: [{ role: 'user', content: [image] }, ...messages] },
      ['vision'],
    ],
    [
      'nothing for text in parts',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'image_url' }] }] },
      [],
    ],
    [
      'vision for an image of another dialect',
      { messages: [{ role: 'user', content: [{ type: 'input_image' }] }] },
      ['vision'],
    ],
    [
      'vision for an image of a third one',
      { messages: [{ role: 'user', content: [{ type: 'image' }] }] },
      ['vision'],
    ],
    ['JSON mode for a JSON object', { response_format: { type: 'json_object' } }, ['json']],
    ['JSON mode for a schema', { response_format: { type: 'json_schema', json_schema: {} } }, ['json']],
    ['nothing for the text format', { response_format: { type: 'text' } }, []],
    ['nothing for no format', { response_format: null }, []],
  ]
  test.each(rows)('%s', async (_, changes, expected) => {
    const needs = Object.entries((await parse(changes)).needs)
    expect(needs.filter(([, needed]) => needed).map(([need]) => need)).toEqual(expected)
  })
})

describe('a header', () => {
  const rows: [string, string, object][] = [
    ['x-backstop-buffer', '1', { buffer: true }],
    ['x-backstop-buffer', ' TRUE ', { buffer: true }],
    ['x-backstop-buffer', '0', { buffer: false }],
    ['x-backstop-buffer', '', { buffer: false }],
    ['x-backstop-dry-run', '1', { dryRun: true }],
    ['x-backstop-dry-run', 'false', { dryRun: false }],
    ['x-backstop-fallback', 'off', { fallback: false }],
    ['x-backstop-fallback', 'Off', { fallback: false }],
    ['x-backstop-fallback', 'on', { fallback: true }],
  ]
  test.each(rows)('%s: %j is understood', async (name, value, expected) => {
    expect(await parse({}, { [name]: value })).toMatchObject(expected)
  })

  test.each([
    ['x-backstop-buffer', 'yes please'],
    ['x-backstop-dry-run', '2'],
    ['x-backstop-fallback', 'never'],
  ])('%s: %j is refused rather than ignored', async (name, value) => {
    const refusal = await rejectionOf(parse({}, { [name]: value }))
    expect(refusal).toMatchObject({ code: 'invalid_header', param: name })
    expect(refusal.message).toContain(`'${value}'`)
  })
})
