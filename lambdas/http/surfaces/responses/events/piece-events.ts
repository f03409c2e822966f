import type { Json, JsonObject } from '../../../../core/json.ts'
import { answerItem, textPart, unwrapInput, type AnswerPiece } from './answer-item.ts'
import type { EventStream } from './event-stream.ts'

/** Where a piece stands in its answer. */
export type Place = { item_id: string; output_index: number }

/** The events of one kind of piece, between the beginning and the end of its item. */
type PieceEvents = {
  begin(write: EventStream['write'], place: Place): string
  /** What writes the pieces of its text. */
  pieces(stream: EventStream, place: Place): (text: string, logprobs: readonly Json[]) => string
  end(write: EventStream['write'], place: Place, piece: AnswerPiece): string
}

const nothing = (): string => ''
const content = (place: Place): JsonObject => ({ ...place, content_index: 0 })
const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })
const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text })

const REASONING: PieceEvents = {
  begin: (write, place) =>
    write('response.reasoning_summary_part.added', { ...place, summary_index: 0, part: summaryPart('') }),
  pieces({ pieces }, place) {
    const write = pieces('response.reasoning_summary_text.delta', { ...place, summary_index: 0 })
    return text => write(text)
  },
  end: (write, place, { text }) =>
    write('response.reasoning_summary_text.done', { ...place, summary_index: 0, text }) +
    write('response.reasoning_summary_part.done', { ...place, summary_index: 0, part: summaryPart(text) }),
}

const TEXT: PieceEvents = {
  begin: (write, place) =>
    write('response.content_part.added', { ...content(place), part: textPart('', [], []) }),
  pieces({ pieces }, place) {
    const write = pieces('response.output_text.delta', content(place))
    return (text, logprobs) => write(text, `,"logprobs":${JSON.stringify(logprobs)}`)
  },
  end: (write, place, piece) => {
    const { logprobs, annotations } = piece.kind === 'text' ? piece : { logprobs: [], annotations: [] }
    const { text } = piece
    return (
      write('response.output_text.done', { ...content(place), text, logprobs }) +
      write('response.content_part.done', { ...content(place), part: textPart(text, logprobs, annotations) })
    )
  },
}

const REFUSAL: PieceEvents = {
  begin: (write, place) => write('response.content_part.added', { ...content(place), part: refusalPart('') }),
  pieces({ pieces }, place) {
    const write = pieces('response.refusal.delta', content(place))
    return text => write(text)
  },
  end: (write, place, { text }) =>
    write('response.refusal.done', { ...content(place), refusal: text }) +
    write('response.content_part.done', { ...content(place), part: refusalPart(text) }),
}

const ARGUMENTS_DELTA = 'response.function_call_arguments.delta'

const FUNCTION_CALL: PieceEvents = {
  begin: nothing,
  pieces({ pieces }, place) {
    const write = pieces(ARGUMENTS_DELTA, place)
    return text => write(text)
  },
  end: (write, place, piece) => {
    const { name, arguments: args } = answerItem(piece, 'completed')
    // A call without arguments has had no delta, and some clients join nothing else.
    const missing = piece.text === '' ? write(ARGUMENTS_DELTA, { ...place, delta: String(args) }) : ''
    return missing + write('response.function_call_arguments.done', { ...place, name, arguments: args })
  },
}

const CUSTOM_CALL: PieceEvents = {
  begin: nothing,
  pieces: () => nothing,
  end: (write, place, { text }) => {
    const input = unwrapInput(text)
    return (
      write('response.custom_tool_call_input.delta', { ...place, delta: input }) +
      write('response.custom_tool_call_input.done', { ...place, input })
    )
  },
}

const NO_EVENTS: PieceEvents = { begin: nothing, pieces: () => nothing, end: nothing }

/** The events between `output_item.added` and `output_item.done`, by what the item is. */
export function eventsOf(piece: AnswerPiece): PieceEvents {
  switch (piece.kind) {
    case 'reasoning':
      return REASONING
    case 'text':
      return TEXT
    case 'refusal':
      return REFUSAL
    case 'call':
      return { function: FUNCTION_CALL, custom: CUSTOM_CALL, tool_search: NO_EVENTS }[piece.origin.kind]
  }
}
