import { afterEach, describe, expect, it } from 'vitest'
import { ask } from '../../support/ask.ts'
import { chatChunk, chatStream, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()

async function upstream(answer: HttpAnswer): Promise<ScriptedUpstream> {
  const started = await startUpstream([answer], { clock })
  open.push(started)
  return started
}

/** A gateway whose first tier answers like this, and whose second is well. */
async function gatewayBefore(answer: HttpAnswer) {
  const [bad, good] = [await upstream(answer), await upstream(chatStream(['all ', 'well']))]
  const gateway = await startGateway(
    configOf({ bad: bad.url, good: good.url }, [['bad/m'], ['good/m']], { retry_max_attempts: 2 }),
    {},
    { clock },
  )
  open.push(gateway)
  return gateway
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const deepDelta = (levels: number) =>
  `{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop","extra":${nested(levels)}}]}`

describe('an answer nested too deeply to be written out again', () => {
  it('counts as malformed as an event, and as a whole', async () => {
    const event = await gatewayBefore({ chunks: [`data: ${deepDelta(20_000)}\n\n`] })
    expect((await ask(event)).content).toBe('all well')
    expect((await ask(event, { stream: true })).content).toBe('all well')
    const whole = await gatewayBefore({ body: deepDelta(20_000).replace('delta', 'message') })
    expect((await ask(whole)).content).toBe('all well')
  })

  it('is passed on where it is deep and no more', async () => {
    const gateway = await gatewayBefore({ chunks: [`data: ${deepDelta(200)}\n\n`, 'data: [DONE]\n\n'] })
    expect((await ask(gateway, { stream: true })).text).toContain(nested(200))
  })
})

describe('a held answer that never ends', () => {
  it('is given up before it fills the memory', async () => {
    const megabyte = sseEvent(chatChunk({ content: 'x'.repeat(1024 * 1024) }))
    const gateway = await gatewayBefore({
      chunks: Array.from({ length: 40 }, () => megabyte),
      end: 'silence',
    })
    const answer = await ask(gateway)
    expect(answer.content).toBe('all well')
    expect(answer.headers.get('x-backstop-chain')).toMatch(/^bad\/m;malformed_response;200;/)
  })
})

describe('a refusal whose body stalls', () => {
  it('is judged by its status long before an answer would be given up', async () => {
    const gateway = await gatewayBefore({ status: 401, body: { error: { message: 'No.' } }, end: 'silence' })
    const startedAt = clock.now()
    const answer = await ask(gateway)
    expect(answer.headers.get('x-backstop-chain')).toMatch(/^bad\/m;auth;401;/)
    expect(clock.now() - startedAt).toBe(2_000)
  })
})
