import { CLIENT_LIMITS } from '../callers/client-limits.ts'
import { takes, type LimitState, type RequestCost } from '../callers/limit-states.ts'
import { formatSpan } from '../format-span.ts'
import { GatewayError } from './gateway-error.ts'

/** Nobody knows when a request that is under way will end. */
const SLOT_MS = 1_000

const DIGITS = { maximumSignificantDigits: 15 }

/** Limits of money may be far below a cent. */
const counted = (count: number): string => count.toLocaleString('en-US', DIGITS)

function reasonFor(caller: string, state: LimitState, cost: RequestCost): string {
  const { name, limit } = state
  if (name === 'concurrency')
    return `The client '${caller}' has ${counted(limit)} requests under way, as many as it may at a time.`
  const { counts, window } = CLIENT_LIMITS[name]
  const allowed = `${counted(limit)} ${counts} a ${window}`
  if (counts === 'tokens' && takes(state, cost) > limit)
    return `The prompt has about ${counted(cost.promptTokens)} tokens, and the client '${caller}' may use ${allowed}. Send a shorter one.`
  return `The client '${caller}' has used up its limit of ${allowed}.`
}

/** Thrown for a request that is beyond a limit of its caller. */
export class ClientLimitError extends GatewayError {
  /** Milliseconds until it may be sent again; null = it never may. */
  readonly retryAfterMs: number | null
  /** How all limits of the caller stand. */
  readonly states: readonly LimitState[]

  /** @param over what it is beyond. */
  constructor(
    caller: string,
    { over, states, cost }: { over: readonly LimitState[]; states: readonly LimitState[]; cost: RequestCost },
    now: number,
  ) {
    const isTooLong = over.some(state => takes(state, cost) > state.limit)
    const waitMs = Math.max(...over.map(({ resetAt }) => (resetAt === null ? SLOT_MS : resetAt - now)))
    const reasons = over.map(state => reasonFor(caller, state, cost))
    const hint = isTooLong ? '' : ` Try again in ${formatSpan(Math.ceil(waitMs / 1_000) * 1_000)}.`
    super(
      over.some(({ name }) => name === 'dollarsPerMonth') ? 'client_budget_spent' : 'client_limit_reached',
      `${reasons.join(' ')}${hint} Whoever runs this gateway sets this in its configuration, under \`clients\`.`,
    )
    this.retryAfterMs = isTooLong ? null : waitMs
    this.states = states
  }
}
