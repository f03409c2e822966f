import { describe, expect, it, test } from 'vitest'
import { blameOf, type Blame } from '../../../lambdas/core/failures/blame.ts'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { FAILURE_KINDS, type FailureKind, type FailureScope } from '../../../lambdas/core/failures/kinds.ts'
import { failureOf } from '../build.ts'

const SCOPES = [
  'request',
  'key',
  'model',
  'endpoint',
  'provider',
  'own_network',
] as const satisfies readonly FailureScope[]
const NOBODY: Blame = { evidence: 0, host: false, breaker: false, bench: false }

/** Who is no endpoint. */
const NOT_THE_HOST: ReadonlySet<FailureScope> = new Set(['request', 'own_network'])

/** Plain failures: nothing stated, nothing proven. What each kind moves whatever its scope, but `request`. */
const MOVES: Record<FailureKind, Partial<Blame>> = {
  rate_limit: {},
  quota_exhausted: {},
  auth: {},
  permission: {},
  site_capacity: {},
  loading: {},
  overloaded: { breaker: true, bench: true },
  timeout: { breaker: true, bench: true },
  server_error: { breaker: true, bench: true },
  malformed_response: { breaker: true, bench: true },
  network: { breaker: true, bench: true, host: true },
  tls: { breaker: true, bench: true, host: true },
  dns: { breaker: true, bench: true, host: true },
  model_not_found: {},
  model_unavailable: {},
  bad_request: {},
  context_length: {},
  unsupported_tools: {},
  unsupported_param: {},
  unsupported_modality: {},
  content_filter: {},
  payload_too_large: {},
}

const table = FAILURE_KINDS.flatMap(kind => SCOPES.map(scope => [kind, scope] as const))

describe('a plain failure', () => {
  test.each(table)('%s of a %s', (kind, scope) => {
    const { host = false, ...moves } = MOVES[kind]
    expect(blameOf(failureOf({ kind, scope }))).toEqual({
      ...NOBODY,
      ...(NOT_THE_HOST.has(scope) ? {} : moves),
      host,
    })
  })
})

const LIMITS: ReadonlySet<FailureKind> = new Set(['rate_limit', 'quota_exhausted', 'auth', 'permission'])

describe('a structural failure', () => {
  test.each(table)('%s of a %s', (kind, scope) => {
    const blame = blameOf(failureOf({ kind, scope, structural: true, retryAfterMs: 1_000 }))
    if (NOT_THE_HOST.has(scope) || LIMITS.has(kind)) {
      expect(blame).toEqual(blameOf(failureOf({ kind, scope, retryAfterMs: 1_000 })))
    } else {
      expect(blame).toMatchObject({ evidence: 1, bench: false })
      expect(blame.breaker).toBe(MOVES[kind].breaker ?? false)
    }
  })
})

describe('evidence that a model is gone for good counts double', () => {
  const gone = (overrides: Partial<Failure>): Failure =>
    failureOf({ kind: 'model_not_found', scope: 'model', structural: true, status: 404, ...overrides })
  const rows: [string, Partial<Failure>, Blame['evidence']][] = [
    ['410', { status: 410 }, 2],
    ['decommissioned', { message: 'The model `x` has been decommissioned.' }, 2],
    ['end of life', { message: 'x reached its end of life on 2026-01-01' }, 2],
    ['end-of-life', { message: 'x is end-of-life' }, 2],
    ['retired', { message: 'The model x was retired.' }, 2],
    ['no longer available', { message: 'x is no longer available' }, 2],
    ['a code in snake case that says so', { code: 'model_decommissioned', message: 'Sorry.' }, 2],
    ['a code in camel case that says so', { code: 'ModelDeprecated', message: 'Sorry.' }, 2],
    ['deprecated', { message: 'The model `x` has been deprecated, learn more here.' }, 2],
    ['a deprecation to come', { code: 'ServiceModelDeprecating', message: 'x is in deprecation.' }, 1],
    ['not found alone', { message: 'The model x does not exist.' }, 1],
    ['no route', { status: 404, message: 'No endpoints found for x.' }, 1],
  ]
  test.each(rows)('%s', (_, overrides, evidence) => {
    expect(blameOf(gone(overrides)).evidence).toBe(evidence)
  })

  it('and what is not structural never does', () => {
    expect(blameOf(gone({ structural: false, status: 410 })).evidence).toBe(0)
  })
})
