import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  adaptedEndpoint,
  effectiveRefusals,
  knownEndpoint,
  learnFrom,
  remember,
  currentRefusals,
  type Refusal,
  type Remembered,
} from '../../lambdas/core/refusals/refusals.ts'
import { classify } from '../../lambdas/providers/classify.ts'
import { decodeStateItem, encodeStateItem } from '../../lambdas/store/item-codec.ts'
import { capabilityItem } from '../store/state-items.ts'
import { endpointNamed, requestFor } from './build.ts'

const NOW = 1_000_000
const DAY = 86_400_000

const refusals: fc.Arbitrary<Refusal> = fc.oneof(
  fc.record({ what: fc.constantFrom('tools', 'vision', 'json', 'stream') }),
  fc.record({ what: fc.constantFrom('param', 'droppable'), name: fc.constantFrom('seed', 'store', 'user') }),
  fc.record({ what: fc.constant('context'), window: fc.constantFrom(1_000, 2_000) }),
)
const histories = fc.array(fc.tuple(refusals, fc.nat(2 * DAY)))
const replay = (events: readonly (readonly [Refusal, number])[]): readonly Remembered[] =>
  events.reduce<readonly Remembered[]>((known, [refusal, at]) => remember(known, refusal, at, DAY), [])

const phrases = fc.constantFrom(
  'is not supported',
  'Unknown parameter:',
  'does not support',
  "'seed'",
  'tools',
  'streaming',
  'Extra inputs are not permitted',
  'maximum context length is',
  '8192',
  'when',
)
const words = fc.array(fc.oneof(phrases, fc.string({ unit: 'grapheme' })), { maxLength: 8 })
const names = fc.constantFrom('seed', 'store', 'x'.repeat(200))

it('whatever an upstream says, what is learnt is about the request and fits into the table', () => {
  fc.assert(
    fc.property(words, names, fc.constantFrom(400, 413, 422, 429, 500), (said, name, status) => {
      const body = JSON.stringify({ error: { message: [...said, `'${name}' is not supported`].join(' ') } })
      const failure = classify({
        provider: 'mine',
        status,
        headers: {},
        body,
        networkError: null,
        inStream: false,
        now: NOW,
      })
      const refusal = learnFrom(failure, requestFor({ body: { [name]: 1 } }))
      if (!refusal) return
      const item = capabilityItem('a/m', { refusals: [{ ...refusal, until: NOW }] })
      expect(decodeStateItem(encodeStateItem(item))).toEqual(item)
      if ('name' in refusal) expect([name, 'stream_options']).toContain(refusal.name)
      if (refusal.what === 'param') expect(refusal.name).not.toBe('store')
      expect(refusal.what).not.toBe('tools')
    }),
  )
})

describe('memory', () => {
  it('holds the latest word of each kind, for its time, and is bounded', () => {
    fc.assert(
      fc.property(histories, refusals, (events, refusal) => {
        const known = remember(replay(events), refusal, NOW, DAY)
        const found = known.filter(
          entry => JSON.stringify(entry) === JSON.stringify({ ...refusal, until: entry.until }),
        )
        expect(found).toHaveLength(1)
        expect(found[0]?.until).toBeGreaterThan(NOW + DAY / 2)
        const keys = known.map(entry => ('name' in entry ? `${entry.what} ${entry.name}` : entry.what))
        expect(new Set(keys).size).toBe(keys.length)
        expect(known.length).toBeLessThanOrEqual(24)
      }),
    )
  })

  it('is the same list for what is known already, and where nothing is to be remembered', () => {
    fc.assert(
      fc.property(refusals, fc.nat(DAY / 2 - 1), (refusal, later) => {
        const known = remember([], refusal, NOW, DAY)
        expect(remember(known, refusal, NOW + later, DAY)).toBe(known)
        expect(remember(known, { what: 'param', name: 'other' }, NOW, 0)).toBe(known)
      }),
    )
  })

  it('ends', () => {
    const known = remember([], { what: 'tools' }, NOW, DAY)
    expect(currentRefusals(known, NOW + DAY - 1)).toEqual(known)
    expect(currentRefusals(known, NOW + DAY)).toEqual([])
  })

  it('forgets the oldest of too many fields', () => {
    const events = Array.from(
      { length: 30 },
      (_, index) => [{ what: 'param', name: `f${index}` }, NOW] as const,
    )
    const known = replay(events)
    expect(known).toHaveLength(24)
    expect(known.at(-1)).toMatchObject({ name: 'f29' })
  })
})

describe('an endpoint as it is known', () => {
  it('is what its owner declared, whatever it refused', () => {
    fc.assert(
      fc.property(fc.array(refusals), list => {
        const declared = { tools: true, vision: true, json: true, stream: true, contextWindow: 9 }
        expect(knownEndpoint(endpointNamed('a/m', declared), list)).toMatchObject(declared)
      }),
    )
  })

  it('is itself where nothing was refused', () => {
    const endpoint = endpointNamed('a/m')
    expect(knownEndpoint(endpoint, [])).toBe(endpoint)
    expect(knownEndpoint(endpoint, [{ what: 'param', name: 'seed' }])).toBe(endpoint)
  })

  it('lacks what it refused, and twice is once', () => {
    fc.assert(
      fc.property(fc.array(refusals), list => {
        const once = knownEndpoint(endpointNamed('a/m'), list)
        expect(knownEndpoint(once, list)).toBe(once)
        for (const { what } of list) if (what === 'tools') expect(once.tools).toBe(false)
      }),
    )
  })

  it('can be asked again only where the answer stays the same', () => {
    const endpoint = endpointNamed('a/m')
    expect(adaptedEndpoint(endpoint, { what: 'droppable', name: 'store' })?.droppedParams).toEqual(['store'])
    expect(adaptedEndpoint(endpoint, { what: 'stream' })?.stream).toBe(false)
    expect(adaptedEndpoint(endpointNamed('a/m', { stream: true }), { what: 'stream' })).toBeNull()
    for (const refusal of [
      { what: 'tools' },
      { what: 'param', name: 'seed' },
      { what: 'context', window: 9 },
    ] as const) {
      expect(adaptedEndpoint(endpoint, refusal)).toBeNull()
    }
  })

  it('heeds no refusal against what is declared', () => {
    const endpoint = endpointNamed('a/m', { tools: true, contextWindow: 4_000 })
    const list = [{ what: 'tools' }, { what: 'vision' }, { what: 'context', window: 9 }] as const
    expect(effectiveRefusals(endpoint, list)).toEqual([{ what: 'vision' }])
  })
})
