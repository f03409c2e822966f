import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readAnswer, type Answer } from '../support/ask.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { expectHonestError, expectWholeOrBroken } from '../support/honest-answers.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway, type TestGateway } from '../support/start-gateway.ts'

/** Nothing takes longer than this, or it hangs. */
const PATIENCE_MS = 60_000
const TEXT = 'Grüß 👋'

let upstream: ScriptedUpstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startUpstream([chatStream([TEXT])])
  gateway = await startGateway(configOf({ healthy: upstream.url }, [['healthy/m']]))
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})

async function post(body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Answer> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const init = { method: 'POST', body, signal, headers: { 'content-type': 'application/json', ...headers } }
  return readAnswer(await fetch(`${gateway.url}/v1/chat/completions`, init))
}

const encode = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value))

describe('whatever a client sends', () => {
  /** Mostly what belongs there, else anything at all. */
  const mostly = (usual: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 19, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() })
  const message = fc.record({
    role: mostly(fc.constantFrom('user', 'system', 'assistant', 'tool', '')),
    content: mostly(
      fc.oneof(fc.string(), fc.constant(null), fc.array(fc.dictionary(fc.string(), fc.jsonValue()))),
    ),
  })
  const loose = fc.record(
    {
      model: mostly(fc.constantFrom('chat', 'chat', 'chat', 'chat', 'chit', '')),
      messages: mostly(fc.array(message, { minLength: 1, maxLength: 3 })),
      stream: mostly(fc.boolean()),
      stream_options: mostly(fc.record({ include_usage: fc.boolean() })),
      tools: mostly(fc.array(fc.dictionary(fc.string(), fc.jsonValue()))),
      response_format: mostly(fc.constantFrom({ type: 'json_object' }, { type: 'text' }, null)),
      temperature: mostly(fc.double()),
      n: mostly(fc.integer({ min: 1, max: 4 })),
      stop: mostly(fc.array(fc.string())),
      metadata: fc.jsonValue(),
    },
    { requiredKeys: ['model', 'messages'] },
  )
  const damaged = fc
    .tuple(loose.map(encode), fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 4 }))
    .map(([bytes, at, cut, noise]) => {
      const place = at % (bytes.length + 1)
      return Uint8Array.from([...bytes.slice(0, place), ...noise, ...bytes.slice(place + (cut % 3))])
    })
  const body = fc.oneof(
    { weight: 4, arbitrary: loose.map(encode) },
    { weight: 4, arbitrary: damaged },
    { weight: 2, arbitrary: fc.json().map(text => new TextEncoder().encode(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map(bytes => Uint8Array.from(bytes)) },
    { weight: 1, arbitrary: fc.nat(5_000).map(depth => new TextEncoder().encode('[{"a":'.repeat(depth))) },
  )
  // What a header may hold at all: a line, in Latin-1.
  const letter = fc
    .integer({ min: 0x20, max: 0xff })
    .filter(code => code !== 0x7f)
    .map(code => String.fromCodePoint(code))
  const value = fc.oneof(
    fc.constantFrom('1', '0', 'on', 'off', 'true', 'false', '-1', '99999999999999999999', ''),
    fc.string({ unit: letter }),
  )
  const headers = fc.record(
    {
      'content-type': fc.oneof(fc.constantFrom('text/plain', 'application/json; charset=utf-16'), value),
      authorization: value,
      'x-api-key': value,
      'x-request-id': value,
      'x-backstop-session': value,
      'idempotency-key': value,
      'x-backstop-buffer': value,
      'x-backstop-dry-run': value,
      'x-backstop-fallback': value,
      'x-backstop-retry-token-budget': value,
      'x-backstop-completed-tool-calls': value,
    },
    { requiredKeys: [] },
  )

  test('is answered, or refused as the client’s own mistake', async () => {
    const seen = { answered: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(body, fc.oneof(fc.constant({}), headers), async (bytes, sent) => {
        const answer = await post(bytes, sent)
        expect(gateway.handlerErrors).toEqual([])
        if (answer.status === 200) {
          seen.answered += 1
          if (answer.text.includes('backstop.plan')) return
          expectWholeOrBroken(answer)
          expect(answer.content).toBe(TEXT)
          expect(answer.error).toBeNull()
        } else {
          seen.refused += 1
          expectHonestError(answer, status => status >= 400 && status < 500)
        }
      }),
      { numRuns: 800 },
    )
    expect(seen.answered).toBeGreaterThan(10)
    expect(seen.refused).toBeGreaterThan(10)
    expect(gateway.lines.filter(line => 'event' in line && line.event === 'internal-error')).toEqual([])
  })
})
