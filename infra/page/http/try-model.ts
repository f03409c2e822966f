import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describeError } from '../../terminal/command-error.ts'
import type { PageSource } from '../page-source.ts'
import { sendProblem } from './send-page.ts'

/** What the page asks: nothing of it is kept. */
export type Trial = { model: string; text: string; stream: boolean; kind: 'chat' | 'embeddings' }

const SHOWN_HEADERS = /^(?:content-type|retry-after|x-request-id|x-backstop-)/

/** Reads a trial; null where it is none. */
export function readTrial(body: Record<string, unknown> | null): Trial | null {
  const { model, text, stream, kind } = body ?? {}
  if (typeof model !== 'string' || typeof text !== 'string' || typeof stream !== 'boolean') return null
  return kind === 'chat' || kind === 'embeddings' ? { model, text, stream, kind } : null
}

const bodyOf = ({ model, text, stream, kind }: Trial): object => {
  if (kind === 'embeddings') return { model, input: text }
  const messages = [{ role: 'user', content: text }]
  // Else a stream does not tell what it cost.
  return stream ? { model, stream, stream_options: { include_usage: true }, messages } : { model, messages }
}

/** Asks a model and hands its answer to the page as it comes. Ends the call where the page leaves. */
export async function tryModel(
  source: Pick<PageSource, 'call'>,
  trial: Trial,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  const path = trial.kind === 'embeddings' ? '/v1/embeddings' : '/v1/chat/completions'
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(trial)),
    signal: left.signal,
  }
  try {
    const answer = await source.call(path, init)
    const headers = [...answer.headers].filter(([name]) => SHOWN_HEADERS.test(name))
    response.writeHead(answer.status, {
      ...Object.fromEntries(headers),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    if (answer.body) await pipeline(Readable.fromWeb(answer.body), response)
    else response.end()
  } catch (error) {
    if (left.signal.aborted || response.headersSent) response.destroy()
    else sendProblem(response, 502, describeError(error))
  }
}
