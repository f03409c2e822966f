import type { Endpoint } from '../../../core/endpoint.ts'
import type { Failure } from '../../../core/failures/failure.ts'
import type { AnswerTiming } from '../../../core/health/answer-speed.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { AttemptLimits } from '../../../core/routing/budget.ts'
import type { AnswerPart } from '../../../core/answers/stream-reader.ts'
import type { Watchdog } from '../upstream/watchdog.ts'
import type { AnswerReader } from './answer-reader.ts'

/** An answer that may be shown to the client. Only a relay can follow: another endpoint is out of the question. */
export type CommittedAnswer = {
  endpoint: Endpoint
  /** Its parts are in the client's own API, as they came. */
  isNative: boolean
  status: number
  headers: Readonly<Record<string, string>>
  /** What was held back until now. */
  parts(): readonly AnswerPart[]
  timing: Pick<AnswerTiming, 'firstOutputMs' | 'outputMs'>
  /** The whole answer, where it was held. */
  completion: JsonObject | null
  /** Where the rest comes from; it has ended where the answer was held. */
  reader: AnswerReader
  watchdog: Watchdog
  limits: AttemptLimits
  /** When the stream must be over, in epoch milliseconds. */
  endsAt: number
  /** What went wrong with the rest, in the words of `Failure`. */
  failureOf(error: unknown): Failure
  /** Ends the call upstream; safe to call twice. */
  close(): Promise<void>
}
