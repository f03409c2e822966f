import type { Call } from './raw-server.ts'
import { VOICES } from './voices.ts'
import { TOKENS } from './voices/words.ts'
import type { Wire } from './wire.ts'

const TOKEN_MS = 15

const isStreamed = ({ body }: Call): boolean => body.stream === true

/** What stands at one place of an answer that was asked for whole: as many pieces as a stream has tokens. */
function pieceOf({ api, model }: Call, position: number): string {
  const text = JSON.stringify(VOICES[api].whole(model))
  const size = Math.ceil(text.length / TOKENS)
  return text.slice(position * size, (position + 1) * size)
}

/** The head of an answer, and nothing of it yet. */
export function open(wire: Wire, call: Call): void {
  wire.begin(isStreamed(call) ? 'text/event-stream; charset=utf-8' : 'application/json')
}

/** Begins an answer: its head, and the events that stand before any text. */
export function begin(wire: Wire, call: Call): void {
  open(wire, call)
  sayBeginning(wire, call)
}

function sayBeginning(wire: Wire, call: Call): void {
  if (isStreamed(call)) for (const event of VOICES[call.api].beginning(call.model)) wire.send(event)
}

/** Says the tokens from one position up to another, at the speed of a fast model. */
export async function say(wire: Wire, call: Call, from: number, to: number): Promise<void> {
  for (let position = from; position < to; position += 1) {
    const text = isStreamed(call) ? VOICES[call.api].token(call.model, position) : pieceOf(call, position)
    // The last pieces of a short text are empty, and an empty chunk would be its end.
    if (text !== '') wire.send(text)
    await wire.pause(TOKEN_MS)
  }
}

/** An event whose data is no JSON, and that holds no text; an answer that is asked for whole has no events. */
export function sayNonsense(wire: Wire, call: Call): void {
  if (!isStreamed(call)) return
  const event = VOICES[call.api].token(call.model, 0)
  wire.send(`${event.slice(0, event.indexOf('data: ') + 30)}\n\n`)
}

/** Half of what would come next, and the end of the connection. */
export function cutOff(wire: Wire, call: Call, position: number): void {
  wire.cut(isStreamed(call) ? VOICES[call.api].token(call.model, position) : pieceOf(call, position))
}

/** Finishes an answer, with or without the mark of a stream's end. */
export function finish(wire: Wire, { api, model, body }: Call, { mark = true } = {}): void {
  if (body.stream === true) for (const event of VOICES[api].end(model, { mark, body })) wire.send(event)
  wire.end()
}

/** A whole answer, streamed where that was asked for. */
export async function answerWell(wire: Wire, call: Call, { isOpen = false } = {}): Promise<void> {
  if (!isOpen) open(wire, call)
  sayBeginning(wire, call)
  await say(wire, call, 0, TOKENS)
  finish(wire, call)
}
