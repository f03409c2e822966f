import { CAPABILITIES, NEEDED_CAPABILITIES, type NeededCapability } from '../../lambdas/core/capabilities.ts'
import type { SkipReason } from '../../lambdas/core/routing/plan.ts'
import type { CompletedLine } from '../local-contract.ts'
import { printable } from '../terminal/paint.ts'

type Skip = Omit<CompletedLine['plan']['skipped'][number], 'endpoint' | 'tier'>

const WORDS = {
  no_key: 'no key is set for its provider',
  not_native: 'it does not speak the API of the client, which a field of the request needs',
  no_state: 'it remembers no earlier answers, and the request refers to one',
  context_too_small: 'the prompt is estimated to be longer than its context window',
  param_refused: 'it refuses a field of the request that cannot be dropped',
  quarantined: 'it gets no requests until a probe succeeds',
  breaker_open: 'too many calls to its provider failed',
  cooldown: 'cooling down',
  quota: 'a known limit of requests or tokens is spent',
} satisfies Record<Exclude<SkipReason, `no_${NeededCapability}`>, string>

/** No clock ends it. */
const ORDERED = 'by hand: it gets no requests until it is released'

const wordsOf: ReadonlyMap<string, string> = new Map([
  ...NEEDED_CAPABILITIES.map(name => [`no_${name}`, CAPABILITIES[name].skipped] as const),
  ...Object.entries(WORDS),
])

/** Why an endpoint was left out: the reason as headers have it, in words, and until when. */
export function explainSkip({ reason, cause, param, until }: Skip, now: number): string {
  const words = reason === 'quarantined' && until === null ? ORDERED : wordsOf.get(reason)
  const because =
    cause === null ? (param === undefined ? '' : `: ${printable(param)}`) : ` after ${printable(cause)}`
  const parts = [words && words + because, until === null ? null : endOf(reason, instantText(until, now))]
  const told = parts.filter(Boolean).join('; ')
  return told === '' ? printable(reason) : `${printable(reason)} (${told})`
}

function endOf(reason: string, at: string): string {
  if (reason === 'quarantined') return `next probe at ${at}`
  return reason === 'breaker_open' ? `next trial at ${at}` : `until ${at}`
}

/** The time of the day; with the day where that is not today. */
export function instantText(instant: number, now: number): string {
  const [at, today] = [new Date(instant), new Date(now)]
  const time = at.toTimeString().slice(0, 8)
  return at.toDateString() === today.toDateString() ? time : `${at.toLocaleDateString('en-CA')} ${time}`
}
