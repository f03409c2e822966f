import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { chatChunk, chatStream, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { HOSTILE_INPUTS } from '../../bench/hostile/hostile-inputs.ts'

let backup: ScriptedUpstream
beforeAll(async () => {
  backup = await startUpstream(() => chatStream(['all ', 'well']))
})
afterAll(() => backup.close())

async function askBefore(answer: HttpAnswer, body: object) {
  const clock = createVirtualClock()
  await using upstream = await startUpstream([answer], { clock })
  const urls = { hostile: upstream.url, backup: backup.url }
  await using gateway = await startGateway(configOf(urls, [['hostile/m'], ['backup/m']]), {}, { clock })
  const reply = await ask(gateway, body)
  expect(gateway.handlerErrors).toEqual([])
  return reply
}

const hostile = HOSTILE_INPUTS.flatMap(({ name, answer }) => (answer ? [[name, answer] as const] : []))

describe.each([{ stream: true }, { stream: false }])('what is meant to cost much ends well, %j', body => {
  test.each(hostile)('%s', async (_, answer) => {
    const reply = await askBefore(answer, body)
    expect(reply.status).toBe(200)
    expect(reply.done || reply.error !== null || !body.stream).toBe(true)
  })
})

describe('an endless stream', () => {
  test.each([{ stream: true }, { stream: false }])('of empty events is no output, %j', async body => {
    const empty = 'data: {}\n\n'.repeat(2_000)
    const chunks = Array.from({ length: 100 }, () => [empty, { sleepMs: 200 }]).flat()
    const reply = await askBefore({ chunks, end: 'silence' }, body)
    expect(reply.content).toBe('all well')
    expect(reply.headers.get('x-backstop-chain')).toMatch(/^hostile\/m;timeout;200;10000 > backup\/m;ok;200;/)
  })

  test('of roles is no output either', async () => {
    const role = sseEvent(chatChunk({ role: 'assistant', content: '' })).repeat(100)
    const chunks = Array.from({ length: 100 }, () => [role, { sleepMs: 200 }]).flat()
    expect((await askBefore({ chunks, end: 'silence' }, { stream: true })).content).toBe('all well')
  })
})

describe('an event past 32 MB', () => {
  test.each([{ stream: true }, { stream: false }])('is refused with a reason, %j', async body => {
    const piece = 'A'.repeat(1024 * 1024)
    const chunks = ['data: {"choices":[{"delta":{"content":"', ...Array.from({ length: 34 }, () => piece)]
    const reply = await askBefore({ chunks, end: 'silence' }, { ...body })
    expect(reply.content).toBe('all well')
    expect(reply.headers.get('x-backstop-chain')).toMatch(/^hostile\/m;malformed_response;200;/)
  })
})

test.each([
  [40_000, 400, 'messages[1500].role'],
  [125_000, 413, null],
])('%i bad messages are one complaint', async (count, status, param) => {
  const messages = [
    ...Array.from({ length: 1_500 }, () => ({ role: 'user', content: 'x' })),
    ...Array.from({ length: count }, () => ({ role: 1 })),
  ]
  const reply = await askBefore(chatStream(['never']), { messages })
  expect(reply.status).toBe(status)
  expect(reply.error?.param).toBe(param)
})
