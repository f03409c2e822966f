import { describe, expect, it } from 'vitest'
import { nextStep, type PlanProgress } from '../../../lambdas/core/routing/next-step.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { candidatesOf, failedAttempt, progressOf } from '../build.ts'

const settings = { ...DEFAULT_SETTINGS, retry_max_attempts: 2 }

const after = (tiers: readonly (readonly string[])[], overrides: Partial<PlanProgress>, failed = 1) =>
  nextStep(
    progressOf(
      candidatesOf(tiers),
      Array.from({ length: failed }, (_, index) => failedAttempt(index)),
      { settings, ...overrides },
    ),
  )

describe('while the fleet is degraded', () => {
  it('the last attempt is a suspect’s, and no more a replica’s or a retry’s', () => {
    const [replicas, alone] = [
      [['a/m', 'b/m'], ['~c/m']],
      [['a/m'], ['~c/m']],
    ]
    expect(after(replicas, { degraded: false })).toEqual({ kind: 'fail_over', candidate: 1 })
    expect(after(replicas, { degraded: true })).toEqual({ kind: 'degrade', candidate: 2 })
    expect(after(alone, { degraded: false })).toMatchObject({ kind: 'retry', candidate: 0 })
    expect(after(alone, { degraded: true })).toEqual({ kind: 'degrade', candidate: 1 })
  })

  it('one attempt is kept for all suspects together', () => {
    const tiers = [['a/m', 'b/m'], ['~c/m'], ['~d/m']]
    const three = { ...settings, retry_max_attempts: 3 }
    expect(after(tiers, { degraded: true, settings: three })).toEqual({ kind: 'fail_over', candidate: 1 })
    expect(after(tiers, { degraded: true, settings: three }, 2)).toEqual({ kind: 'degrade', candidate: 2 })
  })
})
