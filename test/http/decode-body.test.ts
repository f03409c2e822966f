import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../lambdas/contract.ts'
import type { ErrorCode } from '../../lambdas/core/routing/error-codes.ts'
import { MOST_COMMAS } from '../../lambdas/core/answers/json-nesting.ts'
import { decodeBody, MAX_VALUES } from '../../lambdas/http/decode-body.ts'
import { functionUrlEvent, type EventOptions } from '../support/function-url-event.ts'
import { rejectionOf } from './refusal-of.ts'

const decode = (options: EventOptions) => decodeBody(functionUrlEvent(options))
const base64 = (bytes: string | Uint8Array): EventOptions => ({
  body: Buffer.from(bytes).toString('base64'),
  isBase64Encoded: true,
})
/** An object of this many nested levels. */
const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

describe('a content type', () => {
  test.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['Application/JSON;charset=UTF-8'],
    ['application/vnd.x+json'],
    ['application/problem+json; charset=utf-8'],
    ['text/json'],
    [' application/json '],
    [''],
  ])('of %j is accepted', async contentType => {
    expect(await decode({ headers: { 'content-type': contentType }, body: { a: 1 } })).toEqual({ a: 1 })
  })

  it('may be missing', async () => {
    expect(await decode({ body: { a: 1 } })).toEqual({ a: 1 })
  })

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=json'],
    ['application/jsonlines'],
    ['application/x-ndjson'],
    ['json'],
  ])('of %j is refused by its name', async contentType => {
    const refusal = await rejectionOf(decode({ headers: { 'content-type': contentType }, body: { a: 1 } }))
    expect(refusal.code).toBe('unsupported_content_type')
    expect(refusal.message).toContain(contentType)
  })
})

describe('a body is read', () => {
  const rows: [string, EventOptions, unknown][] = [
    ['as text', { body: '{"a":"é🦙"}' }, { a: 'é🦙' }],
    ['from base64', base64('{"a":"é🦙"}'), { a: 'é🦙' }],
    ['with a byte order mark', base64('\uFEFF{"a":1}'), { a: 1 }],
    ['with spaces around it', { body: ' \r\n {"a":1} \n' }, { a: 1 }],
    [
      'with as many values as may be',
      { body: JSON.stringify({ a: Array.from({ length: MAX_VALUES - 3 }, () => '[{,') }) },
      { a: Array.from({ length: MAX_VALUES - 3 }, () => '[{,') },
    ],
    ['with an escaped null byte', { body: String.raw`{"a":"\u0000"}` }, { a: '\0' }],
    ['at 64 levels', { body: nested(64) }, JSON.parse(nested(64))],
    [
      'with brackets inside strings, which do not count',
      { body: { a: '[{'.repeat(500) } },
      { a: '[{'.repeat(500) },
    ],
    [
      'with escaped quotes before brackets',
      { body: { a: `\\"${'['.repeat(99)}` } },
      { a: `\\"${'['.repeat(99)}` },
    ],
    [
      'with many brackets side by side',
      { body: `{"a":[${'[],'.repeat(99)}[]]}` },
      { a: Array.from({ length: 100 }, () => []) },
    ],
  ]
  test.each(rows)('%s', async (_, options, expected) => {
    expect(await decode(options)).toEqual(expected)
  })

  it('whatever JSON object it holds, encoded or not', async () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }))
    await fc.assert(
      fc.asyncProperty(objects, async value => {
        const text = JSON.stringify(value)
        expect(await decode({ body: text })).toEqual(JSON.parse(text))
        expect(await decode(base64(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('up to the limit of the platform, in bytes', async () => {
    const frame = '{"a":""}'
    const filled = '{"a":"' + 'x'.repeat(MAX_BODY_BYTES - frame.length) + '"}'
    expect((await decode({ body: filled })).a).toHaveLength(MAX_BODY_BYTES - frame.length)
    expect((await rejectionOf(decode({ body: `${filled} ` }))).code).toBe('payload_too_large')
    expect((await rejectionOf(decode(base64(`${filled} `)))).code).toBe('payload_too_large')
    expect((await rejectionOf(decode({ body: `{"a":"${'é'.repeat(MAX_BODY_BYTES / 2)}"}` }))).code).toBe(
      'payload_too_large',
    )
  })
})

describe('a body is refused', () => {
  const rows: [string, EventOptions, ErrorCode, RegExp][] = [
    ['where there is none', {}, 'invalid_json', /no body/],
    ['where it is empty', { body: '' }, 'invalid_json', /no body/],
    ['where it is empty after decoding', { body: '=', isBase64Encoded: true }, 'invalid_json', /./],
    ['where it is no JSON, and says where', { body: '{"a":}' }, 'invalid_json', /not valid JSON\. .*\}/],
    ['where JSON is followed by more', { body: '{"a":1} {"b":2}' }, 'invalid_json', /not valid JSON/],
    ['with a raw null byte, which it names', { body: '{"a":"\0"}' }, 'invalid_json', /null byte/],
    ['where base64 holds no UTF-8', base64(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)), 'invalid_json', /UTF-8/],
    ['where it is a list', { body: '[]' }, 'invalid_json', /must be a JSON object/],
    ['where it is a text', { body: '"a"' }, 'invalid_json', /must be a JSON object/],
    ['where it is null', { body: 'null' }, 'invalid_json', /must be a JSON object/],
    [
      'with too many values, told apart from too many bytes',
      { body: JSON.stringify({ a: Array.from({ length: MAX_VALUES }, () => '') }) },
      'payload_too_large',
      /131,072 objects, lists and strings/,
    ],
    [
      'with too many numbers',
      { body: `{"a":[${'1,'.repeat(MOST_COMMAS + 1)}1]}` },
      'payload_too_large',
      /524,288 entries/,
    ],
    ['at 65 levels', { body: nested(65) }, 'nested_too_deeply', /64 levels/],
    ['at a million levels, without harm', { body: '['.repeat(1_000_000) }, 'nested_too_deeply', /64 levels/],
  ]
  test.each(rows)('%s', async (_, options, code, message) => {
    const refusal = await rejectionOf(decode(options))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(message)
  })

  it('with one kind of error only, whatever the bytes', async () => {
    const codes: ErrorCode[] = ['invalid_json', 'nested_too_deeply']
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async bytes => {
        // A first bracket of a list keeps it from ever being an object.
        expect(codes).toContain((await rejectionOf(decode(base64(Uint8Array.of(0x5b, ...bytes))))).code)
      }),
    )
  })
})
