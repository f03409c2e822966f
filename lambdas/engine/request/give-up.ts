import type { FinalError } from '../../core/routing/error-codes.ts'
import { finalErrorOf } from '../../core/routing/final-error.ts'
import type { GiveUpReason } from '../../core/routing/next-step.ts'
import type { Plan } from '../../core/routing/plan.ts'
import { wasTurnedAway } from '../../core/routing/tool-round.ts'
import type { Trail } from '../../core/routing/trail.ts'
import { vetoedError } from '../../core/routing/vetoed-error.ts'
import { whenNothingLeft } from '../../core/routing/when-nothing-left.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { CLIENT_LEFT } from './make-plan.ts'
import type { Run } from './run.ts'

const STOPPED: FinalError = {
  code: 'gateway_stopped',
  message: 'The gateway was stopped before an answer began. Send the request again.',
  retryAfterMs: 1_000,
}

/** Every endpoint has turned the call away, and the client may send it again like any other. */
const nobodyHasBegun = (trail: Trail, { tool_retries: rule }: Settings): boolean =>
  rule === 'turned_away' && trail.every(({ failure }) => failure !== null && wasTurnedAway(failure))

/** What the client is told when a plan has led to no answer. */
export function giveUp(
  { chain: { alias }, client, shutdown, sentOnce, settings, retryLimit }: Run,
  { plan: { skipped }, trail, retryTokens }: { plan: Plan; trail: Trail; retryTokens: number },
  ended: GiveUpReason,
  now: number,
): FinalError {
  if (client.aborted) return CLIENT_LEFT
  if (shutdown?.aborted) return STOPPED
  // However such a chain ends, the client must hear what would have allowed another try, and no SDK repeat it.
  const isHeldBack =
    sentOnce && trail.length > 0 && ended !== 'request_fault' && !nobodyHasBegun(trail, settings)
  const reason = isHeldBack ? 'tool_round' : ended
  const ending = { alias, trail, skipped, now }
  if (reason === 'tool_round' || reason === 'retry_tokens') {
    return vetoedError({ ...ending, reason, retryLimit, spent: retryTokens })
  }
  if (trail.length === 0) {
    // Everything planned was barred before it could be called, and there is no time left to wait.
    const left = whenNothingLeft({ alias, skipped, now, patienceMs: -1 })
    if (left.kind === 'reject') return left.finalError
  }
  return finalErrorOf({ ...ending, reason })
}
