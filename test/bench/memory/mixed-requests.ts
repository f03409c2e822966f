import { createServer } from 'node:http'
import { chatChunk, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { listenOnLoopback } from '../../support/upstreams/listen-on-loopback.ts'

const TOKENS = 60
const ANSWER = `${Array.from({ length: TOKENS }, (_, index) => sseEvent(chatChunk({ content: `token ${index} ` }))).join('')}${sseEvent(chatChunk({}, 'stop'))}data: [DONE]\n\n`

/** Answers at once; below `/broken` it is overloaded. */
export async function startSteadyUpstream() {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      if (request.url?.startsWith('/broken'))
        response
          .writeHead(503, { 'content-type': 'application/json' })
          .end('{"error":{"message":"Overloaded"}}')
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER)
    })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const LONG_PROMPT = 'What is a backstop? '.repeat(1_000)

type Kind = { name: string; path: string; body: object }

const messages = (content: string): object[] => [{ role: 'user', content }]

/** What clients send, in turn. */
const KINDS: readonly Kind[] = [
  {
    name: 'streamed',
    path: 'chat/completions',
    body: { model: 'chat', stream: true, messages: messages('Hi') },
  },
  { name: 'whole', path: 'chat/completions', body: { model: 'chat', messages: messages('Hi') } },
  {
    name: 'long prompt',
    path: 'chat/completions',
    body: { model: 'chat', stream: true, messages: messages(LONG_PROMPT) },
  },
  { name: 'Responses', path: 'responses', body: { model: 'chat', stream: true, input: 'Hi' } },
  {
    name: 'Messages',
    path: 'messages',
    body: { model: 'chat', max_tokens: 100, stream: true, messages: messages('Hi') },
  },
  {
    name: 'by a fallback',
    path: 'chat/completions',
    body: { model: 'falls-back', messages: messages('Hi') },
  },
  {
    name: 'a model that is none',
    path: 'chat/completions',
    body: { model: 'none', messages: messages('Hi') },
  },
]

export const gatewayConfig = (upstream: string): object => ({
  providers: {
    steady: { baseUrl: `${upstream}/v1`, key: false },
    broken: { baseUrl: `${upstream}/broken/v1`, key: false },
  },
  models: {
    chat: { tiers: [['steady/m']] },
    'falls-back': { tiers: [['broken/m'], ['steady/m']] },
  },
})

/** Sends this many requests of all kinds in turn, several at a time, and reads every answer to its end. */
export async function sendMixed(gateway: string, count: number, atOnce: number): Promise<void> {
  let next = 0
  async function send(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      const kind = KINDS[index % KINDS.length] as Kind
      const call = (): Promise<Response> =>
        fetch(`${gateway}/v1/${kind.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(kind.body),
        })
      // On a busy machine a kept connection may be closed just when it is used.
      const response = await call().catch(call)
      const text = await response.text()
      if (response.ok === (kind.name === 'a model that is none'))
        throw new Error(`${kind.name}: ${response.status} ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, send))
}
