import type { BreakerScope } from '../../core/health/breaker-scope.ts'
import { keyLimits, scopesOf } from '../../core/health/breaker-scope.ts'
import { breakerKey, endpointKey } from '../../core/item-keys.ts'
import { medianFirstOutputMs } from '../../core/routing/endpoint-figures.ts'
import {
  measuredAnswer,
  plainAnswer,
  promptSizeOf,
  type AnswerTiming,
} from '../../core/health/answer-speed.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { breakerOf, changeBreaker } from './change-breaker.ts'
import { changeHealth } from './change-health.ts'
import { itemAt } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'
import type { NotedAttempt, Start } from './note-failure.ts'

/** Lets everything follow from an attempt that answered. */
export function createSuccessNotes(tools: MemoryTools, start: Start) {
  const { view, clock, stats, figures, ownNetwork } = tools

  const isKnown = (scope: BreakerScope): boolean =>
    itemAt(view.known(), 'breaker', breakerKey(scope)) !== null

  /** The evidence first: with it, the next failure would make a healthy endpoint suspect at once. */
  async function clearSuspicion(endpoint: Endpoint): Promise<void> {
    await stats.resetEvidence(endpoint.id)
    await changeHealth(tools, endpoint, { kind: 'success', via: 'request' })
  }

  return {
    /** Output came: that is all a trial has to show, and what a guess was wrong about. */
    committed({ endpoint, key, startedAt, trial, wasSilent = false }: NotedAttempt): void {
      ownNetwork.answered(endpoint.provider)
      for (const scope of scopesOf(endpoint, key).filter(isKnown)) {
        if (breakerOf(view.known(), scope, clock.now()).state === 'closed') continue
        const claimedAt = trial?.scopes.includes(scope) ? trial.at : null
        start(() => changeBreaker(tools, scope, { kind: 'succeeded', startedAt, claimedAt, wasSilent }))
      }
    },

    /** The answer has ended well. */
    succeeded(
      { endpoint, key, promptTokens = 0, isWhole = false, plainly = false }: NotedAttempt,
      timing: AnswerTiming,
    ): void {
      const first = figures.known.get(endpoint.id)?.firstOutput[promptSizeOf(promptTokens)]
      const usualMs = first ? medianFirstOutputMs(first) : null
      const { tokensPerSecond = null } = figures.known.get(endpoint.id) ?? {}
      const answer = plainly
        ? plainAnswer(promptTokens, timing, usualMs, tokensPerSecond)
        : measuredAnswer(promptTokens, isWhole, timing, usualMs)
      stats.succeeded(endpoint.id, endpoint.provider, answer)
      const known = itemAt(view.known(), 'endpoint', endpointKey(endpoint.id))
      if (known?.health.state === 'suspect') start(() => clearSuspicion(endpoint))
      // One of the simultaneous requests that a limit counts has ended.
      for (const scope of key === null ? scopesOf(endpoint, null) : keyLimits(endpoint, key)) {
        const breaker = breakerOf(view.known(), scope, clock.now())
        const guess = breaker.state === 'closed' ? null : breaker.guess
        const isRate = guess !== null && (guess.slots || guess.kind === 'rate_limit')
        if (isRate) start(() => changeBreaker(tools, scope, { kind: 'slot_freed', at: clock.now() }))
      }
    },
  }
}
