import { describe, expect, it } from 'vitest'
import { ask } from '../../support/ask.ts'
import { chatChunk, chatStream, errorAnswer, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import type { AnswerScript } from '../../support/upstreams/answer-script.ts'
import type { HttpAnswer, UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { after, chainOf, replicaStarter, warm } from './hedged-replicas.ts'

const startReplicas = replicaStarter()

describe('a request whose two calls have both failed it', () => {
  const cut: UpstreamAnswer = {
    ...chatStream([]),
    chunks: [sseEvent(chatChunk({ role: 'assistant', content: 'frag' })), { sleepMs: 100 }],
    end: 'destroy',
  }
  const late = (answer: HttpAnswer, headersDelayMs: number): UpstreamAnswer => ({ ...answer, headersDelayMs })

  it.each([
    ['is wanted whole', {}, {}],
    ['is held for its client', { stream: true }, { 'x-backstop-buffer': '1' }],
  ])('goes back to the call that had lost, where the answer %s and breaks off', async (_, body, headers) => {
    const now = { a: after(100), b: after(100) }
    const { gateway } = await startReplicas({ a: () => now.a, b: () => now.b }, { hedge: { afterMs: 500 } })
    await warm(gateway)
    now.a = after(3_000)
    now.b = cut
    expect(await chainOf(gateway, body, headers)).toMatch(
      /^answered true: a\/m hedged \d+ > b\/m network \d+ > a\/m ok 3\d{3}$/,
    )
    expect(gateway.handlerErrors).toEqual([])
  })

  it('goes back no more than once, and not to the one that broke off', async () => {
    const now = { a: [after(100)], b: cut }
    const scripts = { a: () => (now.a.length > 1 ? now.a.shift() : now.a[0]) ?? cut, b: () => now.b }
    const { gateway, upstreams } = await startReplicas(scripts, { hedge: { afterMs: 500 } })
    await warm(gateway)
    now.a = [after(3_000), cut]
    const chain = await chainOf(gateway, {})
    expect(chain).toMatch(/^\w+ false: a\/m hedged \d+ > b\/m network \d+ > a\/m network \d+$/)
    expect(upstreams['b']?.requests.length).toBe(1)
  })

  it('has the other key of the first one tried before it goes on', async () => {
    const now = { b: after(100), isRefused: false }
    const wrongKey = errorAnswer(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' })
    const script: AnswerScript = ({ headers }) =>
      now.isRefused && headers['authorization']?.endsWith('k1') ? late(wrongKey, 1_000) : after(100)
    const { gateway } = await startReplicas(
      { a: script, b: () => now.b },
      { hedge: { afterMs: 500 } },
      {},
      { keysOfA: 'key-aaaaaaaaaaaaaa-k1,key-aaaaaaaaaaaaaa-k2' },
    )
    await warm(gateway)
    now.isRefused = true
    now.b = late(errorAnswer(500, {}), 600)
    expect(await chainOf(gateway)).toBe('answered true: a/m auth 1000 > b/m server_error 600 > a/m ok 100')
  })

  it('ends at a refusal of its content, where the settings want that', async () => {
    const now = { a: after(100), b: after(100) }
    const policy = errorAnswer(400, { message: 'Flagged.', code: 'content_policy_violation' })
    const { gateway, upstreams } = await startReplicas(
      { a: () => now.a, b: () => now.b, c: () => after(100) },
      { hedge: { afterMs: 500 } },
      { content_filter: 'stop' },
    )
    await warm(gateway)
    now.a = late(policy, 1_000)
    now.b = late(errorAnswer(500, {}), 1_000)
    const answer = await ask(gateway, { stream: true })
    expect([answer.status, answer.error?.code]).toEqual([400, 'content_filter'])
    expect(upstreams['c']?.requests.length).toBe(0)
  })
})
