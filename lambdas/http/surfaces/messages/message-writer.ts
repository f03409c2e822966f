import type { TextPiece } from '../../../core/answers/event-shape.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { parseJson } from '../../../core/parse-json.ts'
import { estimateTextTokens } from '../../../core/tokens/estimate-text-tokens.ts'
import { reasoningOf } from '../translation/reasoning-of.ts'
import { messageObject, type AnswerHead } from './answer-head.ts'
import { messageUsage } from './message-usage.ts'
import { stopOf } from './stop-reason.ts'
import { createStreamBlock, type BlockKind, type StreamBlock, type WriteEvent } from './stream-block.ts'
import { stringOf } from './translate-blocks.ts'

/** Turns the chunks of one chat answer into the events of this API. */
export type MessageWriter = {
  chunk(json: JsonObject): string
  /** A chunk that says no more than this beyond the one before it. */
  piece(piece: TextPiece): string
  /** Keeps clients from thinking that the stream is dead. */
  ping(): string
  /** The answer broke off: nothing may follow. */
  cut(error: JsonObject): string
  end(): string
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

const write: WriteEvent = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

/**
 * One block is open at a time, and blocks are closed in the order in which they began; what belongs to a later one is
 * held. A block ends when another has begun; a call only if its arguments are whole, because the deltas of parallel
 * calls may be interleaved: otherwise at the end of the answer.
 */
export function createMessageWriter(head: AnswerHead): MessageWriter {
  const blocks: StreamBlock[] = []
  const calls = new Map<number, StreamBlock>()
  let closed = 0
  let begun = false
  let judged = 0
  let hidden = 0
  let last: JsonObject = {}
  let usage: Json | undefined

  function begin(): string {
    if (begun) return ''
    begun = true
    const estimated = messageUsage(undefined, { promptTokens: head.promptTokens, outputTokens: 1 })
    return write('message_start', { message: messageObject(head, { usage: estimated }) })
  }

  function addBlock(block: BlockKind): StreamBlock {
    const added = createStreamBlock(block, blocks.length)
    blocks.push(added)
    return added
  }

  /** Goes on with the last block where it is of the same kind. */
  function grow(kind: 'thinking' | 'text', text: string): void {
    if (text === '') return
    const current = blocks.at(-1)
    const target = current?.kind === kind ? current : addBlock({ kind })
    target.grow(text)
  }

  function addCall(delta: JsonObject, place: number): void {
    const called: JsonObject = isJsonObject(delta.function) ? delta.function : {}
    const index = typeof delta.index === 'number' ? delta.index : place
    let block = calls.get(index)
    if (!block) {
      const id = stringOf(delta.id) || head.callId(index)
      block = addBlock({ kind: 'tool_use', id, name: head.names.nameOf(stringOf(called.name)) })
      calls.set(index, block)
    }
    // What comes behind whole arguments that were handed over cannot be part of them.
    if (blocks.indexOf(block) >= closed) block.grow(stringOf(called.arguments))
  }

  function readDelta(delta: JsonObject): void {
    const thought = reasoningOf(delta)
    if (head.showsThinking) grow('thinking', thought)
    else hidden += estimateTextTokens(thought)
    grow('text', stringOf(delta.content))
    grow('text', stringOf(delta.refusal))
  }

  function readChoice(choice: JsonObject): void {
    const delta: JsonObject = isJsonObject(choice.delta) ? choice.delta : {}
    readDelta(delta)
    for (const [place, call] of listOf(delta.tool_calls).entries()) addCall(call, place)
    if (typeof choice.finish_reason === 'string') last = choice
  }

  const isWhole = ({ kind, text }: StreamBlock): boolean =>
    kind !== 'tool_use' || isJsonObject(parseJson(text()))

  function closeNext(block: StreamBlock): string {
    closed += 1
    return block.close(write)
  }

  /** Closes what has ended and passes on what has come of the open block. */
  function advance(): string {
    let events = ''
    for (let block = blocks[closed]; block; block = blocks[closed]) {
      const another = blocks.length - 1 > closed && blocks.length > judged
      if (!another || !isWhole(block)) {
        // Whether arguments are whole is looked at once for each block that begins: looking is not free.
        judged = blocks.length
        return events + block.flush(write)
      }
      events += closeNext(block)
    }
    return events
  }

  return {
    chunk(json) {
      const events = begin()
      for (const [place, choice] of listOf(json.choices).entries()) {
        if ((choice.index ?? place) === 0) readChoice(choice)
      }
      if (isJsonObject(json.usage)) usage = json.usage
      return events + advance()
    },
    piece({ choice, field, text }) {
      if (choice !== 0) return ''
      readDelta({ [field]: text })
      return advance()
    },
    ping: () => (begun ? write('ping', {}) : ''),
    cut: error => begin() + write('error', { error }),
    end() {
      let events = begin()
      for (const block of blocks.slice(closed)) events += closeNext(block)
      const shown = blocks.reduce((sum, { text }) => sum + estimateTextTokens(text()), 0)
      const estimated = { promptTokens: head.promptTokens, outputTokens: shown + hidden }
      const delta = stopOf(last, head.native, calls.size > 0)
      events += write('message_delta', { delta, usage: messageUsage(usage, estimated) })
      return events + write('message_stop', {})
    },
  }
}
