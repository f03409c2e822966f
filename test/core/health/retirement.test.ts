import { describe, expect, it, test } from 'vitest'
import type { FailureKind } from '../../../lambdas/core/failures/kinds.ts'
import type { Health } from '../../../lambdas/core/health/health.ts'
import { isRetired, readSuggestion, writeSuggestion } from '../../../lambdas/core/health/retirement.ts'

const DAY = 86_400_000
const SINCE = 1_790_000_000_000
const NEVER = { day: 0, count: 0 }
const probe = { dueAt: SINCE, failures: 0, sent: NEVER, onDemand: { ...NEVER, at: 0 } }
const quarantine = (cause: FailureKind): Health => ({ state: 'quarantined', since: SINCE, probe, cause })
const told = (kind: FailureKind, status: number | null = 404, message = '') => ({ kind, status, message })

describe('a model is retired', () => {
  test.each([
    ['its host does not know it', told('model_not_found'), true],
    ['its host says that it is gone', told('model_unavailable', 410), true],
    ['its host says so in words', told('model_unavailable', 400, 'It has been deprecated.'), true],
    ['its host has none of it at present', told('model_unavailable', 404, 'No endpoints found.'), false],
    ['nothing listens there', told('network', null, 'connect ECONNREFUSED'), false],
    ['its host is in no directory', told('dns', null, 'getaddrinfo ENOTFOUND'), false],
  ])('where for more than a day %s: %s', (_, last, expected) => {
    const health = quarantine(last.kind)
    expect(isRetired(health, last, SINCE + DAY + 1)).toBe(expected)
    expect(isRetired(health, last, SINCE + DAY)).toBe(false)
  })

  it('by its cause alone where the words are lost', () => {
    expect(isRetired(quarantine('model_not_found'), null, SINCE + 2 * DAY)).toBe(true)
    expect(isRetired(quarantine('model_unavailable'), null, SINCE + 2 * DAY)).toBe(false)
  })

  it('never while it is healthy or suspect', () => {
    const suspect: Health = { state: 'suspect', since: SINCE, probe, cause: 'model_not_found' }
    for (const health of [suspect, { state: 'healthy' } as const]) {
      expect(isRetired(health, told('model_not_found'), SINCE + 2 * DAY)).toBe(false)
    }
  })
})

test.each([
  { at: SINCE, model: 'meta-llama/llama-3.3-70b:free' },
  { at: SINCE, model: null },
])('a suggestion %j is read as it was written', suggestion => {
  expect(readSuggestion(writeSuggestion(suggestion))).toEqual(suggestion)
})

test.each([null, '', 'x y', '17', '17 two words', `${'1'.repeat(20)} m`, `17 ${'m'.repeat(129)}`])(
  '%j is no suggestion',
  text => {
    expect(readSuggestion(text)).toBeNull()
  },
)
