import { describe, expect, it, test } from 'vitest'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { startGateway } from '../support/start-gateway.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import type { HttpAnswer } from '../support/upstreams/upstream-answer.ts'
import { messageEvents, messageStream } from './messages/native-bodies.ts'
import { nativeEvents, nativeStream } from './responses/native-bodies.ts'

const SILENCE: Pick<HttpAnswer, 'end'> = { end: 'silence' }
const CHAT: HttpAnswer = { ...chatStream(['Well, ', 'then'], { finish: null }), ...SILENCE }
const messages = [{ role: 'user', content: 'Hi' }]

type Row = { path: string; body: object; wire: string | null; answer: HttpAnswer; last: RegExp }
const FAILED = /event: response\.failed\ndata: .*"code":"gateway_stopped"[^\n]*\n\n$/
const BROKEN = /event: error\ndata: \{"type":"error".*"code":"gateway_stopped"[^\n]*\n\n$/
const ROWS: readonly Row[] = [
  {
    path: '/v1/chat/completions',
    body: { messages },
    wire: null,
    answer: CHAT,
    last: /data: \{"error":\{.*"code":"gateway_stopped"[^\n]*\n\n$/,
  },
  { path: '/v1/responses', body: { input: 'Hi' }, wire: null, answer: CHAT, last: FAILED },
  {
    path: '/v1/responses',
    body: { input: 'Hi' },
    wire: 'responses',
    answer: nativeStream(nativeEvents(['Well, ', 'then']).slice(0, 6), SILENCE),
    last: FAILED,
  },
  { path: '/v1/messages', body: { messages, max_tokens: 9 }, wire: null, answer: CHAT, last: BROKEN },
  {
    path: '/v1/messages',
    body: { messages, max_tokens: 9 },
    wire: 'messages',
    answer: messageStream(messageEvents(['Well, ', 'then']).slice(0, 9), SILENCE),
    last: BROKEN,
  },
]

/** A gateway over one endpoint that speaks this API too, and a streamed question to it. */
async function start({ path, body, wire }: Row, answer: HttpAnswer) {
  const upstream = await startUpstream([answer])
  const host = { baseUrl: upstream.url, key: false, ...(wire === null ? {} : { wires: { [wire]: {} } }) }
  const gateway = await startGateway({ providers: { host }, models: { chat: { tiers: [['host/m']] } } })
  return {
    upstream,
    gateway,
    ask: (stream = true) =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'chat', stream, ...body }),
      }),
  }
}

describe.each(ROWS)('a gateway that is stopped, $path over $wire', row => {
  it('ends a stream with an error event, and logs it as what it is', async () => {
    const { upstream, gateway, ask } = await start(row, row.answer)
    const response = await ask()
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('then')) text += (await reader?.read())?.value ?? expect.fail('it ended')
    const closed = gateway.close()
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) text += next.value
    await closed
    await upstream.close()
    expect(text).toMatch(row.last)
    expect(text).not.toContain('[DONE]')
    expect(gateway.completed).toMatchObject([
      { outcome: 'cut', code: 'gateway_stopped', attempts: [{ scope: 'request' }] },
    ])
    expect(gateway.handlerErrors).toEqual([])
  })

  it('tells a client that waits for output to ask again', async () => {
    const { upstream, gateway, ask } = await start(row, { ...row.answer, chunks: [': wait\n\n'] })
    const asked = ask()
    while (upstream.calls() === 0) await new Promise(resolve => setTimeout(resolve, 1))
    const closed = gateway.close()
    const response = await asked
    expect([503, 529]).toContain(response.status)
    expect(await response.text()).toContain('"code":"gateway_stopped"')
    expect(response.headers.get('retry-after')).toBe('1')
    await closed
    await upstream.close()
    expect(gateway.completed).toMatchObject([{ outcome: 'failed', code: 'gateway_stopped' }])
  })
})

test('an endpoint is not held to blame for what the gateway ended itself', async () => {
  const [row] = ROWS
  if (!row) return expect.fail('no row')
  const { upstream, gateway, ask } = await start(row, row.answer)
  const response = await ask()
  const text = response.text()
  while (upstream.calls() === 0) await new Promise(resolve => setTimeout(resolve, 1))
  await gateway.close()
  await text
  await upstream.close()
  expect(gateway.lines.filter(({ event }) => event === 'breaker-transition' || event === 'cooldown')).toEqual(
    [],
  )
})
