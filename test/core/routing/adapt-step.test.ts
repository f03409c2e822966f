import { expect, test } from 'vitest'
import type { Candidate } from '../../../lambdas/core/endpoint.ts'
import {
  nextStep,
  type FailedAttempt,
  type PlanProgress,
  type Step,
} from '../../../lambdas/core/routing/next-step.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import {
  candidatesOf,
  contextTooLong,
  endpointNamed,
  failedAttempt,
  failureOf,
  progressOf,
} from '../build.ts'

const refused = failureOf({ class: 'degradable', kind: 'unsupported_param', status: 400 })
const adaptable = (candidate: number, changes: Partial<FailedAttempt> = {}) =>
  failedAttempt(candidate, { failure: refused, adaptable: true, ...changes })

const replicas = candidatesOf([['a/one', 'b/one'], ['c/two']])
const lonely = candidatesOf([['a/one'], ['c/two']])
const attempts = (count: number): Partial<PlanProgress> => ({
  settings: { ...DEFAULT_SETTINGS, retry_max_attempts: count },
})

test.each<[string, readonly Candidate[], readonly FailedAttempt[], Partial<PlanProgress>, Step]>([
  [
    'asks the same endpoint again, with the same key, before any replica',
    replicas,
    [adaptable(0, { key: 'k1' })],
    {},
    { kind: 'adapt', candidate: 0, key: 'k1' },
  ],
  [
    'does so once',
    replicas,
    [adaptable(0), adaptable(0, { via: 'adapt' })],
    {},
    { kind: 'fail_over', candidate: 1 },
  ],
  [
    'does so once for each endpoint',
    replicas,
    [adaptable(0), adaptable(0, { via: 'adapt' }), adaptable(1, { via: 'fail_over' })],
    attempts(5),
    { kind: 'adapt', candidate: 1, key: null },
  ],
  [
    'keeps an attempt for a lower tier',
    lonely,
    [adaptable(0)],
    attempts(2),
    { kind: 'degrade', candidate: 1 },
  ],
  [
    'gives up without an attempt left',
    lonely,
    [adaptable(0)],
    attempts(1),
    { kind: 'give_up', reason: 'attempts' },
  ],
  [
    'lets a trial be one call',
    lonely,
    [adaptable(0, { trial: true })],
    {},
    { kind: 'degrade', candidate: 1 },
  ],
  [
    'is no fallback, so that it is allowed where none is wanted',
    lonely,
    [adaptable(0)],
    { fallback: false },
    { kind: 'adapt', candidate: 0, key: null },
  ],
  [
    'goes on where nothing can be left out',
    lonely,
    [failedAttempt(0, { failure: refused, adaptable: false })],
    {},
    { kind: 'degrade', candidate: 1 },
  ],
])('a refusal of what changes nothing: %s', (_, candidates, failed, changes, step) => {
  expect(nextStep(progressOf(candidates, failed, changes))).toEqual(step)
})

test('a window that the upstream states lets a larger one of the same tier be asked', () => {
  const [small, large] = candidatesOf([['a/small', 'b/large']])
  const declared = { ...endpointNamed('b/large'), contextWindow: 32_000 }
  const candidates = [small, large && { ...large, endpoint: declared }].filter(found => found !== undefined)
  const step = (statedWindow: number) =>
    nextStep(progressOf(candidates, [failedAttempt(0, { failure: { ...contextTooLong(), statedWindow } })]))
  expect(step(8_000)).toEqual({ kind: 'fail_over', candidate: 1 })
  expect(step(64_000)).toEqual({ kind: 'give_up', reason: 'exhausted' })
})
