import {
  advance,
  advanceAgain,
  createProgress,
  isFinished,
  judgeEnd,
  type AnswerProgress,
} from './answer-progress.ts'
import { readEventPieces, type EventPiece } from './repair/event-pieces.ts'
import { createEventShape, type KnownChunk, type TextPiece } from './event-shape.ts'
import { createFinishKeeper } from './hold-finish.ts'
import { isErrorEvent, isForeign } from './error-event.ts'
import { inspectChunk, type ChunkView } from './inspect-chunk.ts'
import type { KeyMask } from '../failures/secrecy/mask-keys.ts'
import { errorWithin } from '../failures/envelope/error-description.ts'
import { holdsLostOutput } from './repair/lost-output.ts'
import { createChunkNormaliser } from './repair/normalise-chunk.ts'
import type { JsonObject } from '../json.ts'

/** One chunk of an answer: as clients understand it, and as it came where nothing had to be changed. */
export type AnswerPart = {
  /** Of a part with a piece it is only made when somebody looks at it. */
  readonly json: JsonObject
  readonly text: string | null
  /** All that it says beyond the part right before it; absent = it is to be read in full. */
  readonly piece?: TextPiece
  /** A chunk that it equals but for its piece. */
  readonly like?: JsonObject
}

/** Why a stream cannot be the answer. */
export type StreamFault =
  /** The upstream says so itself, in these words. */
  | { kind: 'refused'; words: string }
  /** Output was lost in an event that cannot be read. */
  | { kind: 'lost' }
  | { kind: 'cut' }

export type StreamReader = {
  /**
   * The part of an event as it came, keys included, that says what the one right before it said but for its text; null =
   * `add` is to read it.
   */
  repeat(data: string): AnswerPart | null
  /** The parts that one event without keys brings, until it proves a fault. */
  add(data: string): { parts: readonly AnswerPart[]; fault: StreamFault | null }
  /** What is left to show when nothing more will come. */
  end(): { parts: readonly AnswerPart[]; fault: StreamFault | null }
  readonly progress: AnswerProgress
  /** Events, or pieces of them, that were left out because they could not be read. */
  malformed(): number
}

export type StreamOptions = {
  /** How many choices were asked for. */
  wanted: number
  /** What follows how far the answer is; its own where none is given. */
  progress?: AnswerProgress
  /** The id of a tool call that the host gave none, by choice and position. */
  callId: (choice: number, position: number) => string
  /** The client declared tools: it reads no `function_call`. */
  readsToolCalls?: boolean
  /** Takes out the keys that an event repeats. */
  mask?: KeyMask
}

const MOST_WORDS = 4_096
const NOTHING = { parts: [], fault: null } as const
/** JSON that says nothing at all: keep-alives of some hosts. */
const SAYS_NOTHING = /^(?:null|true|false|""|\[\]|-?\d[\d.eE+-]*)?$/

/** An error as one, also where its host writes nothing around it. */
function wrapped(json: JsonObject, text: string | null): string {
  const words = text ?? JSON.stringify(json)
  return errorWithin(json) === undefined && json.choices === undefined ? `{"error":${words}}` : words
}

/**
 * Reads the events of one answer: repairs them, follows how far the answer is, and tells a fault from what can be
 * left out. Nothing of the output is ever left out in silence.
 */
export function createStreamReader(options: StreamOptions): StreamReader {
  const { mask = (text: string) => text, progress = createProgress(options.wanted) } = options
  const normaliser = createChunkNormaliser(options.callId, options.readsToolCalls)
  const keeper = createFinishKeeper(normaliser)
  const shape = createEventShape(mask)
  const heldTexts = new WeakMap<JsonObject, string>()
  /** The part before was of the shape that is known. */
  let inShape = false
  let malformed = 0
  let words: string | null = null
  /** The last event that is no chunk, where nothing of the answer has come behind it. */
  let foreign: string | null = null

  const partOf = (json: JsonObject): AnswerPart => ({ json, text: heldTexts.get(json) ?? null })

  function accept(json: JsonObject, text: string | null): readonly AnswerPart[] {
    const chunk = normaliser.normalise(json)
    const view = inspectChunk(chunk)
    advance(progress, view)
    if (view.choices.some(({ output }) => output)) foreign = null
    else if (isForeign(json)) foreign = wrapped(json, text)
    return show(chunk, json, text, view)
  }

  function show(
    chunk: JsonObject,
    json: JsonObject,
    text: string | null,
    view: ChunkView,
  ): readonly AnswerPart[] {
    const shown = keeper.add(chunk, view)
    if (chunk !== json || text === null) return shown.map(partOf)
    if (shown.length === 1 && shown[0] === json) {
      shape.learn(json, text, view)
      return [{ json, text }]
    }
    heldTexts.set(json, text)
    return shown.map(partOf)
  }

  /** An event that needs no parser: it says what one before it said, but for its piece of the output. */
  function acceptKnown(known: KnownChunk): readonly AnswerPart[] {
    advance(progress, known.view)
    foreign = null
    const { json, text } = known
    inShape = keeper.passes(json, known.view)
    if (inShape) return [{ json, text }]
    const shown = keeper.add(json, known.view)
    heldTexts.set(json, text)
    return shown.map(partOf)
  }

  function repeat(data: string): AnswerPart | null {
    const known = inShape ? shape.read(data) : null
    if (known) advanceAgain(progress)
    return known
  }

  function leaveOut(piece: Extract<EventPiece, { kind: 'text' | 'broken' }>): StreamFault | null {
    malformed += 1
    if (holdsLostOutput(piece.text)) return { kind: 'lost' }
    if (piece.kind === 'text' && !SAYS_NOTHING.test(piece.text)) words ??= piece.text.slice(0, MOST_WORDS)
    return null
  }

  /** What stood among the events, and is no chunk of an answer, was the error where the answer has no finish. */
  function faultAtEnd(): StreamFault | null {
    if (isFinished(progress)) return null
    const said = foreign ?? words
    if (said !== null) return { kind: 'refused', words: said }
    return normaliser.isCut() ? { kind: 'cut' } : null
  }

  function finish(): { parts: readonly AnswerPart[]; fault: StreamFault | null } {
    const fault = faultAtEnd()
    if (fault) return { parts: [], fault }
    return { parts: judgeEnd(progress) === 'complete' ? keeper.end().map(partOf) : [], fault: null }
  }

  function add(data: string) {
    // Some hosts keep the line alive with it, and some without end.
    if (data === '{}') return NOTHING
    const known = progress.done ? null : shape.read(data)
    if (known) return { parts: acceptKnown(known), fault: null }
    inShape = false
    const parts: AnswerPart[] = []
    for (const piece of readEventPieces(data)) {
      if (progress.done) break
      if (piece.kind === 'document') {
        if (isErrorEvent(piece.json)) {
          const refused = { kind: 'refused', words: wrapped(piece.json, piece.text) } as const
          return { parts, fault: refused }
        }
        parts.push(...accept(piece.json, piece.text))
      } else if (piece.kind === 'done') {
        const fault = faultAtEnd()
        if (fault) return { parts, fault }
        progress.done = true
        parts.push(...finish().parts)
      } else {
        const fault = leaveOut(piece)
        if (fault) return { parts, fault }
      }
    }
    return { parts, fault: null }
  }

  return {
    repeat,
    add,
    end: finish,
    progress,
    malformed: () => malformed,
  }
}
