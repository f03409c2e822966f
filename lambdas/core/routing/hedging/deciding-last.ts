import { preferredStep, type FailedAttempt, type PlanProgress, type Step } from '../next-step.ts'

/** What another endpoint's failure must not hide: an end of the chain, then what the same endpoint would still take. */
function weightOf(step: Step): number {
  if (step.kind === 'give_up') return step.reason === 'request_fault' ? 2 : 0
  return step.kind === 'rotate' || step.kind === 'adapt' ? 1 : 0
}

/**
 * The failures of calls that were made side by side, the one that decides on the next step last; `before` is how far the
 * request had come before them. Where they weigh the same, the order of the calls stays.
 */
export function decidingLast(
  before: PlanProgress,
  failures: readonly FailedAttempt[],
): readonly FailedAttempt[] {
  if (failures.length < 2) return failures
  const weighed = failures.map(failure => {
    const others = failures.filter(other => other !== failure)
    const failed = [...before.failed, ...others, failure]
    return { failure, weight: weightOf(preferredStep({ ...before, failed })) }
  })
  return weighed.toSorted((one, other) => one.weight - other.weight).map(({ failure }) => failure)
}
