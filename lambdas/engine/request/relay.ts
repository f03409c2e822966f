import { presentChunk } from '../../core/answers/present-chunk.ts'
import { withCost } from '../../core/cost.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { AnswerPart } from '../../core/answers/stream-reader.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CommittedAnswer } from './answer/committed-answer.ts'
import { assertComplete, nextParts, watchNext } from './answer/read-on.ts'
import type { AnswerEnd } from './record.ts'

/** What becomes of an answer after its first output: any number of parts, then one cut or one end. */
export type RelayValue =
  | { kind: 'part'; parts: readonly AnswerPart[] }
  /** `event`: the upstream's own words for it in the client's API, as they came; null where it said nothing. */
  | { kind: 'cut'; failure: Failure; event: string | null }
  | { kind: 'end' }

/** Parts as every API can build on them: as they came, but for what breaks clients, and with what they cost. */
function createCompleter({ model, price }: Endpoint): (part: AnswerPart) => AnswerPart {
  const isWhole = (json: JsonObject): boolean =>
    withCost(presentChunk(json, { includeUsage: true, model }) ?? json, price) === json
  let like: JsonObject | null = null
  return part => {
    // What is known of a chunk holds for each that repeats it.
    if (part.like && part.like === like) return part
    like = part.like && isWhole(part.like) ? part.like : null
    if (like) return part
    // Usage is one more fact until somebody who did not ask for it is shown the chunk.
    const json = withCost(presentChunk(part.json, { includeUsage: true, model }) ?? part.json, price)
    return json === part.json ? part : { json, text: null }
  }
}

/**
 * Passes a committed answer on as values, at the client's pace. A cut, a stall or an error in band is one `cut` and
 * no `end`: a fragment must never look like success.
 * @param ended told before the last value goes out: clients hang up as soon as they have read it.
 */
export async function* relay(
  answer: CommittedAnswer,
  clock: Clock,
  ended: (end: AnswerEnd) => void,
): AsyncGenerator<RelayValue, void, undefined> {
  const complete = answer.isNative ? (part: AnswerPart) => part : createCompleter(answer.endpoint)
  const atEnd = answer.limits.endsWithPlatform ? 'BACKSTOP_DEADLINE' : 'BACKSTOP_TOTAL_TIMEOUT'
  try {
    for (let parts: readonly AnswerPart[] | null = answer.parts(); parts;) {
      if (parts.length > 0) yield { kind: 'part', parts: parts.map(complete) }
      watchNext(answer, answer.endsAt - clock.now(), atEnd)
      const askedAt = clock.now()
      parts = await nextParts(answer.reader)
      answer.timing.outputMs += clock.now() - askedAt
      // A client that reads slowly must not look like an upstream that has stalled.
      answer.watchdog.disarm()
    }
    assertComplete(answer.reader)
  } catch (error) {
    const failure = answer.failureOf(error)
    ended({ kind: 'cut', failure })
    yield { kind: 'cut', failure, event: answer.reader.errorEvent?.() ?? null }
    return
  }
  ended({ kind: 'complete' })
  yield { kind: 'end' }
}
