import type { EndpointsAnswer } from '../../../endpoints-contract.ts'
import { byHandWords, nextWords } from '../../../../lambdas/core/routing/view/hop-words.ts'
import { formatSpan } from '../../../../lambdas/core/format-span.ts'
import { make } from '../dom.ts'
import { formatCount, formatShare, spelledOut } from '../format.ts'
import { serverNow } from '../ticker.ts'

type Row = EndpointsAnswer['data'][number]

const BREAKERS = {
  closed: 'closed',
  open: 'open: its provider is paused',
  'half-open': 'half-open: one call tests the provider',
} as const

function healthText({
  health,
  since,
  missing_key: isKeyless,
  by_hand: byHand,
  retired,
  suggestion,
}: Row): string {
  if (isKeyless) return 'no key is set for its provider'
  const failed = retired ? 'quarantined: its model is gone for good' : health
  const state = byHand === undefined ? failed : byHandWords(byHand)
  const successor = suggestion === null ? '' : `; its provider lists ${suggestion}`
  return since === null ? state : `${state} for ${formatSpan(serverNow() - since)}${successor}`
}

/** What is known of an endpoint, as pairs of a name and a text. */
function factsOf(row: Row): readonly (readonly [name: string, text: string])[] {
  const now = serverNow()
  const { next_probe_at: probeAt, trial_at: trialAt, last_failure: failure, successes, failures } = row
  const calls = successes + failures
  const cooldowns = row.cooldowns.map(
    ({ scope, reason, until }) =>
      `${spelledOut(reason)} of its ${scope}, ${nextWords({ what: 'cooldown', at: until }, now)}`,
  )
  const quotas = row.quotas.map(
    ({ name, left, limit, key }) =>
      `${formatCount(left)} of ${formatCount(limit)} ${spelledOut(name)} left${key === null ? '' : ` (key ${key})`}`,
  )
  const breaker = trialAt === null ? '' : `, ${nextWords({ what: 'breaker test', at: trialAt }, now)}`
  return [
    ['health', healthText(row)],
    ...(probeAt === null ? [] : [['probe', nextWords({ what: 'probe', at: probeAt }, now)] as const]),
    ['breaker', `${BREAKERS[row.breaker]}${breaker}`],
    ['cooldowns', cooldowns.length === 0 ? 'none' : cooldowns.join('; ')],
    ...(quotas.length === 0 ? [] : [['quotas', quotas.join('; ')] as const]),
    ...(failure === null ? [] : [['last failure', failureText(failure, now)] as const]),
    [
      'last 7 days',
      calls === 0 ? 'not called' : `${formatShare(successes, calls)} of ${formatCount(calls)} calls answered`,
    ],
  ]
}

function failureText({ kind, status, message, at }: NonNullable<Row['last_failure']>, now: number): string {
  const what = [spelledOut(kind), status].filter(part => part !== null).join(' ')
  return `${what}, ${formatSpan(now - at)} ago${message === '' ? '' : `: ${message}`}`
}

export const makeFacts = (row: Row): HTMLElement =>
  make(
    'dl',
    { class: 'facts-list' },
    ...factsOf(row).flatMap(([name, text]) => [make('dt', {}, name), make('dd', {}, text)]),
  )
