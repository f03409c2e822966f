import type { TextPiece } from '../../../../core/answers/event-shape.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'
import { parseJson } from '../../../../core/parse-json.ts'
import type { AnswerContext } from '../answer-context.ts'
import type { AnswerPiece } from './answer-item.ts'
import { reasoningOf } from '../../translation/reasoning-of.ts'
import { annotationsOf, logprobsOf, originOf, refusalPiece } from './answer-pieces.ts'
import { createEventStream } from './event-stream.ts'
import { endingOf, failedEnding, type ResponseEnding } from './response-ending.ts'
import { BEGUN, responseObject } from '../response-object.ts'
import { responseUsage } from '../response-usage.ts'
import { createStreamItem, type Growth, type StreamItem } from './stream-item.ts'

/** Turns the chunks of one chat answer into the events of this API. */
export type ResponseWriter = {
  chunk(json: JsonObject): string
  /** A chunk that says no more than this beyond the one before it. */
  piece(piece: TextPiece): string
  /** Keeps clients from thinking that the stream is dead: comments do not reset the timer of every one. */
  ping(): string
  /** The answer broke off: nothing may follow. */
  cut(error: JsonObject): string
  end(): string
}

const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

/**
 * One item is open at a time, and items are closed in the order in which they began; what belongs to a later one is
 * held. An item ends when another has begun; a call only if its arguments are whole, because the deltas of parallel
 * calls may be interleaved: otherwise at the end of the answer.
 */
export function createResponseWriter(context: AnswerContext): ResponseWriter {
  const stream = createEventStream()
  const { write } = stream
  const items: StreamItem[] = []
  const calls = new Map<number, StreamItem>()
  const done: JsonObject[] = []
  let begun = false
  let judgedAt = 0
  let finish: string | null = null
  let usage: Json | undefined

  function begin(): string {
    if (begun) return ''
    begun = true
    const response = responseObject(context.head, BEGUN)
    return write('response.created', { response }) + write('response.in_progress', { response })
  }

  function addItem(piece: AnswerPiece): StreamItem {
    const item = createStreamItem(piece, items.length, context, stream)
    items.push(item)
    return item
  }

  /** Goes on with the last item where it is of the same kind. */
  function grow(piece: AnswerPiece, growth: Growth): void {
    const last = items.at(-1)
    const target = last?.kind === piece.kind ? last : addItem(piece)
    target.grow(growth)
  }

  function addCall(delta: JsonObject, place: number): void {
    const called = isJsonObject(delta.function) ? delta.function : {}
    const index = typeof delta.index === 'number' ? delta.index : place
    let item = calls.get(index)
    if (!item) {
      const origin = originOf(context.table, stringOf(called.name))
      const callId = stringOf(delta.id) || context.callId(index)
      item = addItem({ kind: 'call', text: '', callId, origin })
      calls.set(index, item)
    }
    // What comes behind whole arguments that were handed over cannot be part of them.
    if (items.indexOf(item) >= done.length) item.grow({ text: stringOf(called.arguments) })
  }

  function readTexts(delta: JsonObject, logprobs: readonly Json[]): void {
    const thought = reasoningOf(delta)
    if (thought !== '') grow({ kind: 'reasoning', text: '' }, { text: thought })
    const content = stringOf(delta.content)
    const annotations = annotationsOf(delta)
    if (content !== '' || annotations.length > 0) {
      grow(
        { kind: 'text', text: '', logprobs: [], annotations: [] },
        { text: content, logprobs, annotations },
      )
    }
    const refusal = stringOf(delta.refusal)
    if (refusal !== '') grow(refusalPiece('', context.ways), { text: refusal })
  }

  function readChoice(choice: JsonObject): void {
    const delta = isJsonObject(choice.delta) ? choice.delta : {}
    readTexts(delta, logprobsOf(choice))
    for (const [place, call] of listOf(delta.tool_calls).entries()) addCall(call, place)
    if (typeof choice.finish_reason === 'string') finish = choice.finish_reason
  }

  function close(item: StreamItem, status: 'completed' | 'incomplete'): string {
    const closed = item.close(status)
    done.push(closed.item)
    return closed.events
  }

  const isWhole = (item: StreamItem): boolean => item.kind !== 'call' || isJsonObject(parseJson(item.text()))

  /** Closes what has ended and passes on what has come of the open item. */
  function advance(): string {
    let events = ''
    for (let item = items[done.length]; item; item = items[done.length]) {
      const another = items.length - 1 > done.length && items.length > judgedAt
      if (!another || !isWhole(item)) {
        // Whether arguments are whole is looked at once for each item that begins: looking is not free.
        judgedAt = items.length
        return events + item.flush()
      }
      events += close(item, 'completed')
    }
    return events
  }

  function closeAll({ status }: ResponseEnding): string {
    let events = ''
    for (const item of items.slice(done.length)) {
      const isCutShort = status !== 'completed' && item === items.at(-1)
      events += close(item, isCutShort ? 'incomplete' : 'completed')
    }
    return events
  }

  const finished = (ending: ResponseEnding): string => {
    const told = responseUsage(usage, context.promptTokens, () => items.map(item => item.text()))
    const state = { ...ending, output: done, usage: told }
    return write(`response.${ending.status}`, { response: responseObject(context.head, state) })
  }

  return {
    chunk(json) {
      const began = begin()
      for (const [place, choice] of listOf(json.choices).entries()) {
        if ((choice.index ?? place) === 0) readChoice(choice)
      }
      if (isJsonObject(json.usage)) usage = json.usage
      return began + advance()
    },
    piece({ choice, field, text }) {
      if (choice !== 0) return ''
      readTexts({ [field]: text }, [])
      return advance()
    },
    ping: () =>
      begun ? write('response.in_progress', { response: responseObject(context.head, BEGUN) }) : '',
    cut: error => begin() + finished(failedEnding(error)),
    end() {
      const ending = endingOf(finish, context.ways)
      return begin() + closeAll(ending) + finished(ending)
    },
  }
}
