import { setImmediate as nextTurn } from 'node:timers/promises'
import { ERROR_CODES, type ClientError, type FinalError } from '../../core/routing/error-codes.ts'
import { isLongText } from '../../core/long-text.ts'
import { fragmentError } from '../../core/routing/fragment-error.ts'
import { trailWithCut } from '../../core/routing/trail.ts'
import type { RelayValue } from '../../engine/request/relay.ts'
import type { Outcome, StreamedAnswer, WholeAnswer } from '../../engine/request/outcome.ts'
import { formatNamedEvent } from '../../sse/format-event.ts'
import type { KeySource } from '../../keys/key-source.ts'
import { planReply } from './plan-reply.ts'
import { CutConnectionError } from '../cut-connection-error.ts'
import { limitHeaders } from './limit-headers.ts'
import type { Reply } from './reply.ts'
import { costHeader, droppedHeader, retryHeaders, routeHeaders } from './response-headers.ts'
import { statedWait } from './stated-wait.ts'
import { withSilences } from '../with-silences.ts'
import type { EventWriter, Surface } from '../surfaces/surface.ts'

export type AnswerTools = {
  keys: Pick<KeySource, 'advice'>
  now(): number
  /** Calls back once after `ms`; returns what cancels it. */
  after(ms: number, callback: () => void): () => void
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

const SILENCE_MS = 15_000

type Silent = { kind: 'silence' }

function textOf(value: RelayValue | Silent, writer: EventWriter, { trail, served }: StreamedAnswer): string {
  switch (value.kind) {
    case 'silence':
      return writer.ping?.() ?? ''
    case 'part': {
      let text = ''
      for (const part of value.parts) text += writer.part(part)
      return text
    }
    case 'end':
      return writer.end()
    case 'cut': {
      const error = fragmentError(served.endpoint, value.failure)
      return writer.cut(error, trailWithCut(trail, served, value.failure), value.event)
    }
  }
}

/** An error event that clients of every API know as one, where their own could not be written. */
const plainCut = ({ code, message }: ClientError): string =>
  formatNamedEvent(
    'error',
    JSON.stringify({ type: 'error', error: { type: ERROR_CODES[code].type, code, message } }),
  )

/** The end of an answer that its writer has failed at. */
function cutAfter(error: unknown, writer: EventWriter, answer: StreamedAnswer): string {
  const failure = answer.failWriting(error)
  try {
    return textOf({ kind: 'cut', failure, event: null }, writer, answer)
  } catch {
    return plainCut(fragmentError(answer.served.endpoint, failure))
  }
}

/** The events of a relayed answer as text, one block for what came at once. */
async function* write(
  answer: StreamedAnswer,
  writer: EventWriter,
  after: AnswerTools['after'],
): AsyncGenerator<string> {
  const { values } = answer
  for await (const value of writer.ping ? withSilences(values, SILENCE_MS, after) : values) {
    let text: string
    try {
      text = textOf(value, writer, answer)
    } catch (error) {
      yield cutAfter(error, writer, answer)
      if (writer.cutsConnection) throw new CutConnectionError()
      return
    }
    // A socket takes a long text in one go, and it was only just written.
    if (isLongText(text)) await nextTurn()
    if (text !== '') yield text
    if (value.kind === 'cut' && writer.cutsConnection) throw new CutConnectionError()
  }
}

/** The error with what to do about missing keys, which only the place that they come from can tell. */
function withAdvice(error: FinalError, keys: AnswerTools['keys']): FinalError {
  const { keylessProviders: providers, message } = error
  return providers ? { ...error, message: `${message} ${keys.advice(providers)}` } : error
}

const withHeaders = (reply: Reply, headers: Record<string, string>): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})

/** What every answer carries, whole or streamed. */
const answerHeaders = (answer: WholeAnswer | StreamedAnswer, surface: Surface, now: number) => ({
  ...routeHeaders({ ...answer, now }),
  ...droppedHeader(answer),
  ...limitHeaders(answer.limits, surface, now),
})

/** An outcome as the client gets it, in the shape of its API, with the headers that every answer carries. */
export function answerReply(outcome: Outcome, surface: Surface, { keys, now, after }: AnswerTools): Reply {
  const { plan } = outcome
  switch (outcome.kind) {
    case 'planned':
      return planReply(outcome.request, plan, now())
    case 'failed': {
      const { trail, finalError, request } = outcome
      const limits = limitHeaders(outcome.limits, surface, now())
      const headers = { ...routeHeaders({ plan, trail, served: null, now: now() }), ...limits }
      const reply = surface.error(withAdvice(finalError, keys), trail, {
        requestId: request.id,
        userAgent: request.userAgent,
        promptTokens: request.promptTokens,
      })
      return withHeaders(reply, { ...headers, ...retryHeaders(statedWait(finalError, request.userAgent)) })
    }
    case 'whole': {
      const headers = { ...answerHeaders(outcome, surface, now()), ...costHeader(outcome) }
      return { ...withHeaders(surface.whole(outcome), headers), close: outcome.close }
    }
    case 'streamed': {
      const headers = { ...EVENT_STREAM, ...answerHeaders(outcome, surface, now()) }
      return {
        status: 200,
        headers,
        body: write(outcome, surface.open(outcome), after),
        close: outcome.close,
      }
    }
  }
}
