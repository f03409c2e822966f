import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, type Answer } from '../support/ask.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { expectHonestError, expectWholeOrBroken } from '../support/honest-answers.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { createForgetfulStore } from '../support/tables/memory-store.ts'
import { configOf, startGateway, type TestGateway } from '../support/start-gateway.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

/** One attempt for each of the two tiers, so that no run waits out a backoff. */
const SETTINGS = { retry_max_attempts: 2 }
const SHORT = { first_output_timeout_ms: 100, idle_timeout_ms: 100 }

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()

const PRIMARY_TEXT = 'Grüß Gott 👋 allerseits'
const FALLBACK_TEXT = 'from the fallback'
const EVENTS = (chatStream(['Grüß ', 'Gott 👋 ', 'allerseits']).chunks ?? []).map(String)
const WIRE = Buffer.from(EVENTS.join(''))

let primary: ScriptedUpstream
let backup: ScriptedUpstream
beforeAll(async () => {
  primary = await startUpstream([], { clock })
  backup = await startUpstream([chatStream([FALLBACK_TEXT])])
})
afterAll(async () => {
  await primary.close()
  await backup.close()
})

/** Longer than a process without a table obeys what it has seen itself. */
const FORGOTTEN_MS = 120_000

function startChain(settings: object = {}): Promise<TestGateway> {
  const urls = { primary: primary.url, backup: backup.url }
  const configuration = configOf(urls, [['primary/m'], ['backup/m']], { ...SETTINGS, ...settings })
  // With a memory the fleet would soon leave this primary alone.
  return startGateway(configuration, {}, { clock, store: createForgetfulStore() })
}

/** Who answered, and how it ended. Whatever it was, it was honest. */
function judge(answer: Answer): 'whole' | 'cut' | 'fallback' | 'refused' {
  expectWholeOrBroken(answer)
  const server = answer.headers.get('x-backstop-served-by')
  if (server === 'backup/m') {
    expect(answer.content).toBe(FALLBACK_TEXT)
    expect(answer.error).toBeNull()
    return 'fallback'
  }
  if (server === 'primary/m') return answer.error ? 'cut' : 'whole'
  // The request itself is said to be at fault, so nobody else was asked.
  expectHonestError(answer, status => status === 400)
  expect(answer.error?.code).toMatch(/^(rejected_by_upstream|content_filter)$/)
  return 'refused'
}

/** The same bytes in at most eight pieces. */
function inPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const count = Math.min(8, Math.ceil(bytes.length / size))
  return Array.from({ length: count }, (_, place) =>
    bytes.subarray(place * size, place === count - 1 ? bytes.length : (place + 1) * size),
  )
}
const pieceSize = fc.integer({ min: 1, max: 400 })

describe('whatever an upstream answers', () => {
  const json = fc.jsonValue().map(value => JSON.stringify(value))
  const word = fc.constantFrom(
    'invalid_request_error',
    'content_filter',
    'temperature',
    'rate_limit_exceeded',
  )
  const loose = fc.option(fc.oneof(word, fc.jsonValue()))
  const refusal = fc
    .record({ message: loose, type: loose, code: loose, param: loose }, { requiredKeys: [] })
    .map(error => JSON.stringify({ error }))
  const event = fc.oneof(
    fc.constantFrom(...EVENTS),
    fc.jsonValue().map(choices => `data: ${JSON.stringify({ choices })}\n\n`),
    fc.jsonValue().map(delta => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`),
    refusal.map(text => `data: ${text}\n\n`),
  )
  const scrap = fc.oneof(
    fc.constantFrom(
      'data:',
      'data: ',
      'event: error\n',
      'id: 1\n',
      ': ping\n\n',
      'retry: 5\n',
      '\n',
      '\r',
      '\n\n',
    ),
    fc.constantFrom('[DONE]', 'data: [DONE]\n\n', '{"choices":[', ']}', '\uFEFF', '<html>'),
    json,
    fc.string({ unit: 'binary' }),
  )
  const noise = fc.uint8Array({ maxLength: 100 })
  const text = fc.array(fc.oneof(event, scrap), { maxLength: 12 }).map(parts => Buffer.from(parts.join('')))
  const injected = fc
    .tuple(fc.nat(WIRE.length), noise)
    .map(([at, bytes]) => Buffer.concat([WIRE.subarray(0, at), bytes, WIRE.subarray(at)]))
  const events = fc.array(event, { maxLength: 8 }).map(parts => Buffer.from(parts.join('')))
  const whole = fc.oneof(json, refusal).map(value => Buffer.from(value))
  const bytes = fc.oneof(noise, text, events, injected, injected, whole)

  const rarely = <Value>(value: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
  const headers = fc
    .record({
      'content-type': fc.constantFrom('text/event-stream', 'application/json', 'text/html', 'nonsense'),
      'content-encoding': rarely(fc.constantFrom('gzip', 'br', 'deflate', 'zstd', 'identity', 'nonsense')),
      'retry-after': rarely(fc.constantFrom('1', '-5', '86400', 'tomorrow', '1e99')),
      'x-should-retry': rarely(fc.constantFrom('true', 'false')),
      location: rarely(fc.constantFrom('/v1', 'http://127.0.0.1:1/')),
    })
    .map(fields => Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
    .map((entries): Record<string, string> => Object.fromEntries(entries))
  const status = fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    { weight: 2, arbitrary: fc.integer({ min: 200, max: 599 }) },
    { weight: 3, arbitrary: fc.constantFrom(400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 529) },
  )
  const end = fc.oneof(
    { weight: 16, arbitrary: fc.constant('clean' as const) },
    { weight: 4, arbitrary: fc.constantFrom('destroy' as const, 'reset' as const) },
    { weight: 1, arbitrary: fc.constant('silence' as const) },
  )
  const gzip = rarely(fc.constant(true)).map(Boolean)

  test('comes out whole, or as one honest error', async () => {
    await using gateway = await startChain(SHORT)
    const streamed = { whole: 0, cut: 0, fallback: 0, refused: 0 }
    const held = { whole: 0, cut: 0, fallback: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.record({ status, headers, bytes, end, gzip, size: pieceSize }),
        async ({ bytes, size, ...rest }) => {
          clock.pass(FORGOTTEN_MS)
          primary.play([{ ...rest, chunks: inPieces(bytes, size) }])
          const answers = await Promise.all([ask(gateway, { stream: true }), ask(gateway)])
          streamed[judge(answers[0])] += 1
          held[judge(answers[1])] += 1
        },
      ),
      { numRuns: 200 },
    )
    // The fuzz is worth its time only while it reaches every ending; a held answer is never a fragment.
    expect(Math.min(streamed.whole, streamed.fallback, held.whole, held.fallback)).toBeGreaterThan(0)
    expect(held.cut).toBe(0)
    expect(gateway.handlerErrors).toEqual([])
  })
})

describe('a good stream that breaks off', () => {
  const endOf = (place: number): number =>
    Buffer.byteLength(EVENTS.slice(0, place + 1).join('')) - '\n\n'.length
  const firstOutput = endOf(1)
  const finish = endOf(EVENTS.findIndex(text => text.includes('"stop"')))

  test.each(['clean', 'destroy'] as const)(
    'is a fragment exactly as long as it is one (end: %s)',
    async end => {
      await using gateway = await startChain()
      await fc.assert(
        fc.asyncProperty(fc.nat(WIRE.length), pieceSize, async (length, size) => {
          clock.pass(FORGOTTEN_MS)
          primary.play([{ chunks: inPieces(WIRE.subarray(0, length), size), end }])
          const [streamed, held] = await Promise.all([ask(gateway, { stream: true }), ask(gateway)])
          const isWhole = length >= finish
          const expected = isWhole ? 'whole' : length >= firstOutput ? 'cut' : 'fallback'
          const verdicts = [judge(streamed), judge(held)]
          // A broken connection may take its last bytes with it.
          if (end === 'clean') expect(verdicts).toEqual([expected, isWhole ? 'whole' : 'fallback'])
          else expect([expected, 'cut', 'fallback']).toContain(verdicts[0])
          if (verdicts[0] === 'whole') expect(streamed.content).toBe(PRIMARY_TEXT)
          if (verdicts[0] === 'cut') expect(PRIMARY_TEXT.startsWith(streamed.content)).toBe(true)
          if (verdicts[1] === 'whole') expect(held.content).toBe(PRIMARY_TEXT)
        }),
        {
          numRuns: 100,
          examples: [firstOutput, finish].flatMap(end => [
            [end - 1, 50],
            [end, 50],
          ]),
        },
      )
    },
  )
})
