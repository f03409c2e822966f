import { commits, isFinished, judgeEnd } from '../../core/answers/answer-progress.ts'
import type { AttemptLimits } from '../../core/routing/budget.ts'
import { networkCodeOf } from '../../core/failures/network-code-of.ts'
import type { AnswerPart, AnswerReader } from './answer-reader.ts'
import { UpstreamError } from './upstream-error.ts'
import type { Watchdog } from './watchdog.ts'

type Watched = { watchdog: Watchdog; limits: AttemptLimits; reader: AnswerReader }

/** After a finish reason only usage and `[DONE]` can come: no reason to wait as long as for an answer. */
const AFTER_FINISH_MS = 3_000

/** Arms the watchdog for the next read, by what has come so far. */
export function watchNext({ watchdog, limits, reader }: Watched, leftMs: number): void {
  const quiet = isFinished(reader.progress) ? Math.min(AFTER_FINISH_MS, limits.idleMs) : limits.idleMs
  if (leftMs < quiet) watchdog.arm(Math.max(1, leftMs), 'BACKSTOP_TOTAL_TIMEOUT')
  else watchdog.arm(quiet, 'BACKSTOP_IDLE_TIMEOUT')
}

/** An end is good where nothing of the answer is missing, even if the line then broke, fell silent or complained. */
export async function nextParts(reader: AnswerReader): Promise<readonly AnswerPart[] | null> {
  try {
    return await reader.next()
  } catch (error) {
    const left = networkCodeOf(error) === 'ABORT_ERR'
    if (!left && isFinished(reader.progress) && commits(reader.progress)) return null
    throw error
  }
}

/** Throws where the answer that has ended is not one. */
export function assertComplete(reader: AnswerReader): void {
  const verdict = judgeEnd(reader.progress)
  if (verdict === 'truncated') throw new UpstreamError('BACKSTOP_TRUNCATED')
  if (verdict === 'empty') throw new UpstreamError('BACKSTOP_EMPTY_COMPLETION')
}
