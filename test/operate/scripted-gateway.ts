import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type LocalServer, listenLocally } from '../../infra/local/loopback-server.ts'

/** What the scripted gateway was asked. */
export type Seen = { path: string; headers: IncomingMessage['headers']; body: string }

/** A gateway that answers as a test says, and keeps what it was asked. */
export async function startScriptedGateway(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalServer & { seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    seen.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() })
    answer(request, response)
  })
  return { ...(await listenLocally(server, 0)), seen }
}

/** A chunk of a streamed answer. */
export const contentEvent = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
