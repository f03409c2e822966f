import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listenOnLoopback } from './listen-on-loopback.ts'

/** What a host does with a call: nothing listens, an error status, silence, or an answer. */
export type Mood =
  'refused' | 'silent' | 'well' | { status: number; body?: string; headers?: Record<string, string> }

export type MoodyUpstream = AsyncDisposable & {
  readonly url: string
  /** Its mood from now on; for one model alone where it is named. */
  turn(mood: Mood, model?: string): Promise<void>
  /** When it was called, by this clock; what nothing listens to is not counted. */
  readonly calls: readonly { at: number; model: string; key: string | undefined }[]
}

const CHUNKS = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'here' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
const ANSWER = `${CHUNKS.map(chunk => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`).join('')}data: [DONE]\n\n`

async function bodyOf(request: IncomingMessage): Promise<{ model?: string }> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString('utf8') || '{}') as { model?: string }
}

/** A host whose mood changes, on one port. */
export async function startMoodyUpstream(
  now: () => number,
  answer: (response: ServerResponse) => void = response => response.end(ANSWER),
): Promise<MoodyUpstream> {
  const calls: { at: number; model: string; key: string | undefined }[] = []
  const moods = new Map<string, Mood>()
  let general: Mood = 'well'
  const server = createServer((request, response) => void serve(request, response))
  server.keepAliveTimeout = 0

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { model = '' } = await bodyOf(request)
    calls.push({ at: now(), model, key: request.headers.authorization })
    const mood = moods.get(model) ?? general
    if (mood === 'silent' || mood === 'refused') return
    if (mood === 'well') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      answer(response)
      return
    }
    const {
      status,
      body = JSON.stringify({ error: { message: 'The server had an error.' } }),
      headers,
    } = mood
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }

  const port = await listenOnLoopback(server)
  const close = async (): Promise<void> => {
    if (!server.listening) return
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    async turn(mood, model) {
      if (model !== undefined) return void moods.set(model, mood)
      general = mood
      if (mood === 'refused') await close()
      else if (!server.listening)
        await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
    },
    [Symbol.asyncDispose]: close,
  }
}
