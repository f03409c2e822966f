import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { decodeStateItem, encodeStateItem } from '../../lambdas/store/item-codec.ts'
import { GARBAGE } from './garbage.ts'
import { breakerItem, endpointItem, stateItems } from './state-items.ts'

/** As DynamoDB counts: a number takes a byte for two of its digits, and one more. */
function sizeOf(item: Record<string, unknown>): number {
  const bytes = (value: unknown): number =>
    typeof value === 'number'
      ? 1 + Math.ceil(String(value).replace(/0+$/, '').length / 2)
      : Buffer.byteLength(String(value))
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytes(value), 0)
}

describe('an item', () => {
  it('comes back from the table as it was written', () => {
    fc.assert(
      fc.property(stateItems, item => {
        expect(decodeStateItem(encodeStateItem(item))).toEqual(item)
      }),
    )
  })

  it('lies under `state` and its own key, and is not changed by it', () => {
    fc.assert(
      fc.property(stateItems, item => {
        const before = structuredClone(item)
        expect(encodeStateItem(item)).toMatchObject({ pk: 'state', sk: item.key, version: item.version })
        expect(item).toEqual(before)
      }),
    )
  })

  it('that never expires has no expiry for the table to look at', () => {
    expect(encodeStateItem(endpointItem('a/one'))).not.toHaveProperty('expiresAt')
    expect(encodeStateItem(breakerItem('a'))).toHaveProperty('expiresAt', breakerItem('a').expiresAt)
  })

  it('is small, because hundreds of them are read at once', () => {
    const until = { guess: 1_790_000_002_000, opened: 1_790_000_000_000 }
    const guess = {
      kind: 'rate_limit',
      step: 3,
      since: until.opened,
      openedAt: until.opened,
      until: until.guess,
      slots: false,
    } as const
    const trial = { at: until.guess, leaseUntil: until.guess + 10_000, early: false }
    const expiresAt = 1_790_086_402
    const breaker = { state: 'half-open', guess, stated: null, trial } as const
    const named = breakerItem('groq/llama-3.3-70b-versatile', { version: until.guess, expiresAt, breaker })
    expect(sizeOf(encodeStateItem(named))).toBeLessThanOrEqual(150)
    const probe = {
      dueAt: until.guess,
      failures: 12,
      sent: { day: 20_717, count: 12 },
      onDemand: { day: 20_717, count: 3, at: until.guess },
    }
    const health = { state: 'quarantined', since: until.opened, probe, cause: 'model_not_found' } as const
    const ill = endpointItem('groq/llama-3.3-70b-versatile', {
      version: until.guess,
      health,
      leaseUntil: until.guess,
    })
    expect(sizeOf(encodeStateItem(ill))).toBeLessThanOrEqual(150)
  })

  it('of a newer version of us is read as far as we know it', () => {
    const newer = { ...encodeStateItem(endpointItem('a/one')), colour: 'green', pk: 'state' }
    expect(decodeStateItem(newer)).toEqual(endpointItem('a/one'))
  })
})

test.each(GARBAGE)('%s makes no sense', (_, item) => {
  expect(decodeStateItem(item)).toBeNull()
})

it('whatever the table holds, reading it throws nothing', () => {
  const strange = fc.dictionary(
    fc.oneof(fc.constantFrom('pk', 'sk', 'kind', 'version', 'expiresAt', 'g', 'h'), fc.string()),
    fc.anything(),
  )
  fc.assert(
    fc.property(strange, item => {
      const decoded = decodeStateItem(item)
      if (decoded && decoded !== 'outdated') expect(decoded.key).toBe(item['sk'])
    }),
  )
})
