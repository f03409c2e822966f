import type { Candidate } from '../../../core/endpoint.ts'
import { dollarsOf } from '../../../core/cost.ts'
import { hedgeDelayMs, hedgeOf } from '../../../core/routing/hedging/hedge.ts'
import { lookAgain, type Plan } from '../../../core/routing/plan.ts'
import { estimatedUsage } from '../../../core/tokens/retry-tokens.ts'
import type { FleetMemory } from '../../memory/fleet-memory.ts'
import { expectedTokens } from '../admit.ts'
import {
  callCandidate,
  type CandidateAttempt,
  type CandidateCall,
  type CandidateTools,
} from '../call-candidate.ts'
import type { HedgeBudget } from './hedge-budget.ts'
import { race, type Entrant } from './race.ts'
import type { Run } from '../run.ts'
import type { Available } from '../still-available.ts'

/** One call, of which candidate, and whether the one beside it was faster. */
export type Called = CandidateAttempt & { at: number; key: string | null; isLost: boolean }

type HedgeTools = CandidateTools & { memory: FleetMemory; hedges: HedgeBudget }

type Turn = {
  plan: Plan
  candidates: readonly Candidate[]
  /** The candidate whose turn it is, and how it may be called. */
  at: number
  available: Available
  /** Those behind it that may still be called. */
  left: readonly number[]
  /** The limits of the request allow one more call. */
  allowsAnother: boolean
  describe(at: number, available: Available): CandidateCall
}

/** What may have effects beside its answer is sent to one endpoint at a time. */
function mayHedge(
  { request: { kind, toolRound, native }, sentOnce, chain }: Run,
  { degraded }: Plan,
): boolean {
  const isUntracked = toolRound.later && !toolRound.tracked
  return (
    !!chain.hedge && kind === 'chat' && !degraded && !sentOnce && !isUntracked && native.background !== true
  )
}

/** A replica as it may be called beside another one: at once, without a trial, and within its quotas. */
async function entrantOf(
  { endpoint }: Candidate,
  run: Run,
  { memory, clock, hedges }: HedgeTools,
): Promise<Available | null> {
  const seen = lookAgain(endpoint, await memory.snapshot(), clock.now())
  if (seen.state !== 'available' || seen.trial.length > 0 || !hedges.take()) return null
  const admission = await memory.quotas.admit(endpoint, seen.keys, expectedTokens(run.request))
  if (!('spentUntil' in admission)) return { ...admission, trial: null }
  hedges.giveBack()
  return null
}

/** What a call has cost that another one was faster than, nobody has counted. */
async function lost(called: CandidateAttempt, promptTokens: number): Promise<CandidateAttempt> {
  const { result, attempted } = called
  if (result.kind === 'committed') await result.answer.close()
  const outputTokens = result.kind === 'failed' ? result.received.outputTokens : 0
  const lostDollars = dollarsOf(estimatedUsage(promptTokens, outputTokens), attempted.endpoint.price)
  return { ...called, attempted: { ...attempted, outcome: 'hedged', failure: null, lostDollars } }
}

/**
 * Calls the candidate whose turn it is; where its alias is hedged and no output has come after the usual time, its next
 * replica beside it. The first output wins. Returns the calls that were made: one that has lost first, the one that answers
 * last.
 */
export async function callHedged(run: Run, tools: HedgeTools, turn: Turn): Promise<readonly Called[]> {
  const { candidates, at, available, left, describe } = turn
  const { request, chain, client, snapshot } = run
  const candidate = candidates[at]
  const mayBe = candidate && turn.allowsAnother && available.trial === null && mayHedge(run, turn.plan)
  const beside = mayBe ? hedgeOf(candidates, candidate, left) : null
  const other = beside === null ? undefined : candidates[beside]
  const delayMs = mayBe && other ? hedgeDelayMs(chain, candidate.tier, snapshot, request.promptTokens) : null
  if (beside === null || !other || delayMs === null) {
    const called = await callCandidate(run, tools, describe(at, available))
    return [{ ...called, at, key: available.key, isLost: false }]
  }

  let besideKey: string | null = null
  const callOf =
    (index: number, way: Available): Entrant['call'] =>
    (signal, onOutput) =>
      callCandidate({ ...run, client: signal }, tools, { ...describe(index, way), onOutput })
  const raced = await race({
    first: { call: callOf(at, available) },
    async second() {
      const way = await entrantOf(other, run, tools)
      besideKey = way?.key ?? null
      if (!way) return null
      return {
        call: callOf(beside, way),
        withdraw() {
          tools.memory.quotas.giveBack(way.claim)
          tools.hedges.giveBack()
        },
      }
    },
    delayMs,
    clock: tools.clock,
    client,
  })
  const { first, second, loser } = raced
  const calls: Called[] = [
    { ...first, at, key: available.key, isLost: loser === 'first' },
    ...(second ? [{ ...second, at: beside, key: besideKey, isLost: loser === 'second' }] : []),
  ]
  const told = await Promise.all(
    calls.map(async one => (one.isLost ? { ...one, ...(await lost(one, request.promptTokens)) } : one)),
  )
  const rank = ({ isLost, result }: Called): number => (isLost ? 0 : result.kind === 'committed' ? 2 : 1)
  return told.toSorted((one, another) => rank(one) - rank(another))
}
