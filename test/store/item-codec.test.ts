import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { decodeStateItem, encodeStateItem } from '../../lambdas/store/item-codec.ts'
import { GARBAGE } from './garbage.ts'
import { cooldownItem, endpointItem, stateItems } from './state-items.ts'

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
    expect(encodeStateItem(cooldownItem('a'))).toHaveProperty('expiresAt', cooldownItem('a').expiresAt)
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
    fc.oneof(fc.constantFrom('pk', 'sk', 'kind', 'version', 'expiresAt', 'health', 'cooldown'), fc.string()),
    fc.anything(),
  )
  fc.assert(
    fc.property(strange, item => {
      const decoded = decodeStateItem(item)
      if (decoded) expect(decoded.key).toBe(item['sk'])
    }),
  )
})
