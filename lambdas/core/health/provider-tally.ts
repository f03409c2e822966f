import type { Settings } from '../settings/settings.ts'

/** What a provider's window holds of one of its models. */
export type ModelTally = {
  successes: number
  failures: number
  /** Of the failures, those of the host itself: no connection, TLS, DNS, a page of its edge. */
  hostFailures: number
  /** Within the last minute. */
  recentSuccesses: number
}

/** By model tag. */
export type ProviderTally = ReadonlyMap<string, ModelTally>

/** Whose failures a window shows: nobody's yet, the provider's, or those of one model among several. */
export type TallyVerdict =
  { kind: 'fine' } | { kind: 'provider'; causes: readonly string[] } | { kind: 'model'; tag: string }

const sumOf = (tally: ProviderTally, field: keyof ModelTally): number =>
  [...tally.values()].reduce((sum, model) => sum + model[field], 0)

/**
 * Judges a provider by its window. It is at fault where more of the samples failed than the setting allows, and the
 * failures are its own: of two models that fail more often than not, of a host that serves no sibling either, or of
 * the only model that is configured there. Else one failing model is no reason to bar its siblings.
 */
export function judgeTally(
  tally: ProviderTally,
  models: number,
  settings: Pick<Settings, 'breaker_failure_rate' | 'breaker_min_requests'>,
): TallyVerdict {
  const failures = sumOf(tally, 'failures')
  const total = failures + sumOf(tally, 'successes')
  const exceeded = total >= settings.breaker_min_requests && failures / total > settings.breaker_failure_rate
  if (!exceeded) return { kind: 'fine' }
  const failing = [...tally]
    .filter(([, model]) => model.failures > model.successes)
    .toSorted(([, one], [, other]) => other.failures - one.failures)
    .map(([tag]) => tag)
  const [worst] = failing
  if (models < 2 || failing.length > 1) return { kind: 'provider', causes: failing }
  const siblingServes = [...tally].some(([tag, model]) => tag !== worst && model.recentSuccesses > 0)
  const ofTheHost = sumOf(tally, 'hostFailures') > failures / 2
  if (ofTheHost && !siblingServes) return { kind: 'provider', causes: failing }
  return worst === undefined ? { kind: 'fine' } : { kind: 'model', tag: worst }
}
