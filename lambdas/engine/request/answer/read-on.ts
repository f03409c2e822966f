import { commits, isSettled, judgeEnd } from '../../../core/answers/answer-progress.ts'
import type { AttemptLimits } from '../../../core/routing/budget.ts'
import { networkCodeOf } from '../../../core/failures/network-code-of.ts'
import type { AnswerPart } from '../../../core/answers/stream-reader.ts'
import type { AnswerReader } from './answer-reader.ts'
import { UpstreamError, type UpstreamErrorCode } from '../upstream/upstream-error.ts'
import type { Watchdog } from '../upstream/watchdog.ts'

type Watched = { watchdog: Watchdog; limits: AttemptLimits; reader: AnswerReader }

/** After a finish reason some hosts go on, but none waits as long as this before it does. */
const AFTER_FINISH_MS = 10_000
/** After usage only `[DONE]` is expected. */
const AFTER_USAGE_MS = 3_000
/** After the last event of an API only the end of the connection is. */
const AFTER_END_MS = 1_000

/** Arms the watchdog for the next read, by what has come so far. */
export function watchNext(
  { watchdog, limits, reader }: Watched,
  leftMs: number,
  atEnd: UpstreamErrorCode = 'BACKSTOP_TOTAL_TIMEOUT',
): void {
  const { done, usageLast } = reader.progress
  const afterFinish = done ? AFTER_END_MS : usageLast ? AFTER_USAGE_MS : AFTER_FINISH_MS
  const quiet = isSettled(reader.progress) ? Math.min(afterFinish, limits.idleMs) : limits.idleMs
  if (leftMs < quiet) watchdog.arm(Math.max(1, leftMs), atEnd)
  else watchdog.arm(quiet, 'BACKSTOP_IDLE_TIMEOUT')
}

/** An end is good where nothing of the answer is missing, even if the line then broke, fell silent or complained. */
export async function nextParts(reader: AnswerReader): Promise<readonly AnswerPart[] | null> {
  try {
    return await reader.next()
  } catch (error) {
    const left = networkCodeOf(error) === 'ABORT_ERR'
    if (left || !isSettled(reader.progress) || !commits(reader.progress)) throw error
    const last = reader.end()
    return last.length > 0 ? last : null
  }
}

/** Throws where the answer that has ended is not one. */
export function assertComplete(reader: AnswerReader): void {
  const verdict = judgeEnd(reader.progress)
  if (verdict === 'truncated') throw new UpstreamError('BACKSTOP_TRUNCATED')
  if (verdict === 'too_long') throw new UpstreamError('BACKSTOP_WINDOW_FULL')
  if (verdict === 'empty') throw new UpstreamError('BACKSTOP_EMPTY_COMPLETION')
}
