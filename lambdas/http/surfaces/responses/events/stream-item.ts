import type { Json, JsonObject } from '../../../../core/json.ts'
import { answerItem, type AnswerPiece, type ItemStatus } from './answer-item.ts'
import type { AnswerContext } from '../answer-context.ts'
import type { EventStream } from './event-stream.ts'
import { eventsOf, type Place } from './piece-events.ts'

/** What one chunk adds to an item. */
export type Growth = { text: string; logprobs?: readonly Json[]; annotations?: readonly Json[] }

/** One output item while its text grows. */
export type StreamItem = {
  readonly kind: AnswerPiece['kind']
  grow(growth: Growth): void
  text(): string
  /** Events for what has come since the last call; nothing while the item is held. */
  flush(): string
  /** The remaining events, and the item as it is in the whole answer. */
  close(status: ItemStatus): { events: string; item: JsonObject }
}

/** What a client can use only whole is held until then. */
const isHeld = (piece: AnswerPiece, { holdsMessages }: AnswerContext): boolean =>
  piece.kind === 'call' ? piece.origin.kind !== 'function' : piece.kind === 'text' && holdsMessages

export function createStreamItem(
  begun: AnswerPiece,
  place: number,
  context: AnswerContext,
  stream: EventStream,
): StreamItem {
  const { write } = stream
  const held = isHeld(begun, context)
  const events = eventsOf(begun)
  const texts: string[] = []
  const logprobs: Json[] = []
  const annotations: Json[] = []
  /** What of its text and of its logprobs is not written yet. */
  let fresh = ''
  let rankedAt = 0
  let opened: Place | null = null
  let writePiece: ReturnType<typeof events.pieces> | null = null

  const text = (): string => texts.join('')
  const whole = (): AnswerPiece =>
    begun.kind === 'text' ? { ...begun, text: text(), logprobs, annotations } : { ...begun, text: text() }

  function open(id: string): string {
    opened = { item_id: id, output_index: place }
    const item = { id, ...answerItem(begun, 'in_progress') }
    return write('response.output_item.added', { output_index: place, item }) + events.begin(write, opened)
  }

  function emit(at: Place): string {
    const [added, ranked] = [fresh, logprobs.slice(rankedAt)]
    fresh = ''
    rankedAt = logprobs.length
    if (added === '') return ''
    writePiece ??= events.pieces(stream, at)
    return writePiece(added, ranked)
  }

  return {
    kind: begun.kind,
    text,
    grow(growth) {
      if (growth.text !== '') texts.push(growth.text)
      fresh += growth.text
      logprobs.push(...(growth.logprobs ?? []))
      annotations.push(...(growth.annotations ?? []))
    },
    flush() {
      if (held) return ''
      const began = opened ? '' : open(context.plainItemId(answerItem(begun, 'in_progress'), place))
      return opened ? began + emit(opened) : began
    },
    close(status) {
      const final = answerItem(whole(), status)
      const id =
        opened?.item_id ?? (held ? context.keptItemId(final, place) : context.plainItemId(final, place))
      const at = { item_id: id, output_index: place }
      const began = opened ? '' : open(id)
      const item = { id, ...final }
      const rest = emit(at) + events.end(write, at, whole())
      return {
        events: began + rest + write('response.output_item.done', { output_index: place, item }),
        item,
      }
    },
  }
}
