import { expect, test } from 'vitest'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { chatStream, errorAnswer, tokens } from '../../support/upstreams/chat-bodies.ts'
import { endAfterEach } from '../../fleet/instances/end-after-each.ts'
import { as } from './named-callers.ts'
import { startLimited } from './start-limited.ts'

const open = endAfterEach()

const WELL: UpstreamScript = [chatStream(tokens(3))]
const SILENT: UpstreamScript = [{ fault: 'no-response' }]
const LONG: UpstreamScript = [{ ...chatStream(tokens(20)), gapMs: 1_000 }]

const messages = [{ role: 'user', content: 'Hi' }]
const SURFACES: Readonly<Record<string, object>> = {
  'chat/completions': { messages },
  messages: { messages, max_tokens: 50 },
  responses: { input: 'Hi' },
}

/**
 * What others' counters have lost a place to: surfaces that end elsewhere, clients that leave streams, upstreams that never
 * answer, requests that fail before they are sent.
 * https://github.com/BerriAI/litellm/issues/27955, https://github.com/BerriAI/litellm/issues/20256,
 * https://github.com/BerriAI/litellm/issues/1477
 */
const ENDS: readonly (readonly [string, UpstreamScript, object, boolean])[] = [
  ['a whole answer', WELL, {}, false],
  ['a stream', WELL, { stream: true }, false],
  ['a stream that its client leaves', LONG, { stream: true }, true],
  ['an upstream that never answers', SILENT, { stream: true }, false],
  ['an upstream behind a broken edge', [errorAnswer(502, { message: 'Bad gateway' })], {}, false],
  ['a model that is not there', WELL, { model: 'none' }, false],
]

test.each(Object.keys(SURFACES).flatMap(path => ENDS.map(([name, ...how]) => [path, name, how] as const)))(
  '%s gives its place back after %s',
  async (path, _, [script, body, leaves]) => {
    const world = open(await startLimited({ app: { concurrency: 1 } }, script))
    const ask = (more: object, signal: AbortSignal | null = null): Promise<Response> =>
      fetch(`${world.gateway.url}/v1/${path}`, {
        method: 'POST',
        signal,
        headers: { 'content-type': 'application/json', ...as('app') },
        body: JSON.stringify({ model: 'chat', ...SURFACES[path], ...more }),
      })
    for (let sent = 0; sent < 3; sent += 1) {
      const gone = new AbortController()
      const answer = await ask(body, gone.signal)
      expect(answer.status).not.toBe(429)
      if (leaves) gone.abort()
      await answer.text().catch(() => undefined)
      await world.gateway.settled()
    }
    world.upstream.play(WELL)
    world.clock.pass(3_600_000)
    const after = await ask({ stream: true })
    expect([after.status, (await after.text()).length > 0]).toEqual([200, true])
  },
)

// https://github.com/BerriAI/litellm/issues/39309
test('a request that the limit on simultaneous ones refuses takes nothing of the others', async () => {
  const world = open(await startLimited({ app: { concurrency: 1, requestsPerMinute: 2 } }, LONG))
  const first = world.ask({ stream: true })
  await world.clock.sleep(1_000, new AbortController().signal)
  for (let refused = 0; refused < 4; refused += 1) expect((await world.ask()).status).toBe(429)
  await first
  await world.gateway.settled()
  expect((await world.ask({ stream: true })).status).toBe(200)
})
