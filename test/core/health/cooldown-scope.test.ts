import { describe, expect, it, test } from 'vitest'
import type { Blame } from '../../../lambdas/core/failures/blame.ts'
import {
  benchScope,
  cooldownScope,
  endpointScopes,
  keyScopes,
} from '../../../lambdas/core/health/cooldown-scope.ts'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import { endpointNamed } from '../build.ts'

const one = endpointNamed('a/one')
const other = endpointNamed('a/other')
const elsewhere = endpointNamed('b/one')

/** Whether a cooldown of one endpoint and key bars a call of another endpoint with another key. */
function bars(target: NonNullable<Blame['cooldown']>, key: string | null, endpoint: Endpoint, used: string) {
  const scope = cooldownScope(target, one, key)
  return [...endpointScopes(endpoint), ...keyScopes(endpoint, used)].includes(scope)
}

describe('a cooldown bars', () => {
  const calls: [Endpoint, string][] = [
    [one, 'k1'],
    [one, 'k2'],
    [other, 'k1'],
    [other, 'k2'],
    [elsewhere, 'k1'],
  ]
  const rows: [NonNullable<Blame['cooldown']>, string | null, boolean[]][] = [
    ['key-model', 'k1', [true, false, false, false, false]],
    ['key', 'k1', [true, false, true, false, false]],
    ['model', 'k1', [true, true, false, false, false]],
    ['provider', 'k1', [true, true, true, true, false]],
    ['key-model', null, [true, true, false, false, false]],
    ['key', null, [true, true, false, false, false]],
    ['model', null, [true, true, false, false, false]],
    ['provider', null, [true, true, true, true, false]],
  ]
  test.each(rows)('%s with key %s', (target, key, expected) => {
    expect(calls.map(([endpoint, used]) => bars(target, key, endpoint, used))).toEqual(expected)
  })
})

it('a bench is a scope of its own', () => {
  const scopes = [...endpointScopes(one), ...keyScopes(one, 'k1')]
  expect(scopes).not.toContain(benchScope(one.id))
  expect(benchScope(one.id)).not.toBe(benchScope(other.id))
})

it('every scope of an endpoint and its keys is another one', () => {
  const scopes = [one, other, elsewhere].flatMap(endpoint => [
    benchScope(endpoint.id),
    ...endpointScopes(endpoint),
    ...['k1', 'k2'].flatMap(key => keyScopes(endpoint, key)),
  ])
  // Two endpoints share their provider's scope and the scopes of its keys.
  expect(new Set(scopes).size).toBe(scopes.length - 3)
})
