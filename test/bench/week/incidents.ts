import { seededRandom } from './random.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const WEEK_MS = 7 * DAY_MS

/** What ails an endpoint for a while. Only `dead` and `removed` are structural. */
export type Ailment = 'dead' | 'removed' | 'no_capacity' | 'rate_limit' | 'silent' | 'server_error'

/** Milliseconds since the week began. */
export type Incident = { endpoint: string; from: number; to: number; ailment: Ailment }

/** The chain, best first: free relays in front, a paid host at the end. */
export const ENDPOINTS = [
  'zen/coder',
  'relay/coder',
  'pool/large',
  'pool/small',
  'vendor/fast',
  'studio/fast',
  'host/steady',
  'paid/steady',
] as const
export type EndpointName = (typeof ENDPOINTS)[number]

type Spell = { from: number; to: number; relay: Ailment; large: Ailment; small: Ailment }

/** Hours since the week began. Where an endpoint is dead already, that is what a call meets. */
const SPELLS: readonly Spell[] = [
  { from: 10.5, to: 15, relay: 'silent', large: 'server_error', small: 'rate_limit' },
  { from: 34, to: 36.4, relay: 'silent', large: 'server_error', small: 'rate_limit' },
  { from: 55.5, to: 60, relay: 'silent', large: 'server_error', small: 'silent' },
  { from: 80.05, to: 84.9, relay: 'silent', large: 'no_capacity', small: 'silent' },
  { from: 85, to: 89.5, relay: 'silent', large: 'no_capacity', small: 'server_error' },
  { from: 108, to: 110.4, relay: 'removed', large: 'no_capacity', small: 'rate_limit' },
  { from: 129, to: 133, relay: 'removed', large: 'server_error', small: 'removed' },
  { from: 153, to: 156.2, relay: 'removed', large: 'server_error', small: 'removed' },
]

/** Hours since the week began, as somebody would tell the week afterwards. */
const KNOWN: readonly [EndpointName, number, number, Ailment][] = [
  // Relays that drop their free models, one after the other, and bring some of them back.
  ['zen/coder', 5, 61, 'dead'],
  ['zen/coder', 73, 112, 'dead'],
  ['zen/coder', 125, 168, 'dead'],
  ['relay/coder', 30, 47, 'dead'],
  ['relay/coder', 101, 168, 'removed'],
  ['vendor/fast', 73, 88, 'dead'],
  ['pool/small', 120, 168, 'removed'],
  // Hours of every day in which the first half of the chain is ill at once; the fourth day is the bad one.
  ...SPELLS.flatMap(({ from, to, relay, large, small }): [EndpointName, number, number, Ailment][] => [
    ['relay/coder', from, to, relay],
    ['pool/large', from, to, large],
    ['pool/small', from, to, small],
  ]),
  ['studio/fast', 76, 84, 'rate_limit'],
  ['host/steady', 78, 81, 'server_error'],
]

/** How often, for how long (minutes), and how each endpoint fails apart from that. */
const USUAL: readonly [EndpointName, Ailment, count: number, shortest: number, longest: number][] = [
  ['zen/coder', 'silent', 8, 4, 40],
  ['relay/coder', 'server_error', 10, 3, 30],
  ['relay/coder', 'rate_limit', 14, 2, 15],
  ['pool/large', 'no_capacity', 24, 5, 60],
  ['pool/small', 'no_capacity', 24, 5, 60],
  ['vendor/fast', 'rate_limit', 30, 1, 12],
  ['studio/fast', 'rate_limit', 16, 1, 10],
  ['studio/fast', 'silent', 4, 2, 20],
  ['host/steady', 'server_error', 6, 1, 8],
  ['paid/steady', 'server_error', 2, 1, 3],
]

/** Everything that goes wrong in one week, the same each time. */
export function incidentsOfWeek(seed: number): readonly Incident[] {
  const random = seededRandom(seed)
  const known = KNOWN.map(([endpoint, from, to, ailment]) => ({
    endpoint,
    from: from * HOUR_MS,
    to: to * HOUR_MS,
    ailment,
  }))
  const usual = USUAL.flatMap(([endpoint, ailment, count, shortest, longest]) =>
    Array.from({ length: count }, () => {
      const from = random() * WEEK_MS
      const minutes = shortest + random() * (longest - shortest)
      return { endpoint, from, to: from + minutes * 60_000, ailment }
    }),
  )
  return [...known, ...usual]
}
