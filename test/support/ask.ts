import { createEventReader } from '../../lambdas/sse/event-reader.ts'

export type Answer = {
  status: number
  headers: Headers
  text: string
  /** Data of the events, `[DONE]` included. */
  events: readonly string[]
  /** What the choices' contents add up to. */
  content: string
  /** The error of an error body, or of an error event. */
  error: { message: string; type: string; code: string; param: string | null; attempts: unknown[] } | null
  done: boolean
}

type Chunk = {
  error?: Answer['error']
  choices?: { delta?: { content?: string }; message?: { content?: string } }[]
}

const parse = (text: string): Chunk => {
  try {
    return JSON.parse(text) as Chunk
  } catch {
    return {}
  }
}

/** Reads a response of the gateway to its end, streamed or whole. */
export async function readAnswer(response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const reader = createEventReader()
  const events = streamed ? [...reader.push(bytes), ...reader.end()].map(({ data }) => data) : []
  const chunks = streamed ? events.map(parse) : [parse(text)]
  return {
    status: response.status,
    headers: response.headers,
    text,
    events,
    content: chunks
      .map(({ choices }) => choices?.[0]?.delta?.content ?? choices?.[0]?.message?.content ?? '')
      .join(''),
    error: chunks.find(({ error }) => error)?.error ?? null,
    done: events.at(-1) === '[DONE]',
  }
}

/** Sends one chat request and reads the answer to its end. */
export async function ask(
  gateway: { url: string },
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello?' }], ...body }),
  })
  return readAnswer(response)
}
