import type { Failure } from '../../core/failures/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { createToolCallNormaliser } from '../../core/answers/normalise-tool-calls.ts'
import { presentChunk } from '../../core/answers/present-chunk.ts'
import type { Clock } from '../../platform/clock.ts'
import { DONE_EVENT, formatEvent } from '../../sse/format-event.ts'
import type { AnswerPart } from './answer-reader.ts'
import type { CommittedAnswer } from './attempt.ts'
import { assertComplete, nextParts, watchNext } from './read-on.ts'

export type RelayOptions = {
  includeUsage: boolean
  /** What the client is told when the answer breaks off. */
  describeFailure(failure: Failure): JsonObject
  /** Told before the last event goes out: clients hang up as soon as they have read it. */
  ended(end: RelayEnd): void
  clock: Clock
}

/** How a relayed answer ended: null = complete. */
export type RelayEnd = Failure | null

/** Writes parts as events: as they came, but for what breaks clients. */
function createPresenter(model: string, includeUsage: boolean): (parts: readonly AnswerPart[]) => string {
  const normalise = createToolCallNormaliser()
  return parts => {
    let block = ''
    for (const { json, text } of parts) {
      const shown = presentChunk(normalise(json), { includeUsage, model })
      if (shown) block += formatEvent(shown === json && text !== null ? text : JSON.stringify(shown))
    }
    return block
  }
}

/**
 * Passes a committed answer on, event by event, at the client's pace. A cut, a stall or an error in band becomes
 * one error event and no `[DONE]`: a fragment must never look like success.
 */
export async function* relay(
  answer: CommittedAnswer,
  { includeUsage, describeFailure, ended, clock }: RelayOptions,
): AsyncGenerator<string, void, undefined> {
  const present = createPresenter(answer.endpoint.model, includeUsage)
  try {
    for (let parts: readonly AnswerPart[] | null = answer.parts; parts;) {
      const block = present(parts)
      if (block) yield block
      watchNext(answer, answer.endsAt - clock.now())
      parts = await nextParts(answer.reader)
      // A client that reads slowly must not look like an upstream that has stalled.
      answer.watchdog.disarm()
    }
    assertComplete(answer.reader)
  } catch (error) {
    const failure = answer.failureOf(error)
    ended(failure)
    yield formatEvent(JSON.stringify(describeFailure(failure)))
    return
  }
  ended(null)
  yield DONE_EVENT
}
