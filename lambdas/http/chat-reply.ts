import type { Outcome } from '../core/routing/outcome.ts'
import { errorReply } from './error-reply.ts'
import { jsonReply, type Reply } from './reply.ts'
import { routeHeaders } from './response-headers.ts'

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** A chat outcome as the client gets it. */
export function chatReply(outcome: Outcome, now: number): Reply {
  const { plan, trail } = outcome
  const candidate = outcome.kind === 'failed' ? null : outcome.candidate
  const headers = routeHeaders({ plan, trail, candidate, now })
  switch (outcome.kind) {
    case 'streamed':
      return {
        status: 200,
        headers: { ...EVENT_STREAM, ...headers },
        body: outcome.blocks,
        close: outcome.close,
      }
    case 'whole':
      return { ...jsonReply(200, outcome.completion, headers), close: outcome.close }
    case 'failed':
      return errorReply({ ...outcome.finalError, trail, headers })
  }
}
