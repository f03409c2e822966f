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

/** Hours since the week began, as somebody would tell the week afterwards. */
const KNOWN: readonly [EndpointName, number, number, Ailment][] = [
  // A relay that drops its free models, one after the other, and brings one back.
  ['zen/coder', 5, 61, 'dead'],
  ['relay/coder', 30, 47, 'dead'],
  ['relay/coder', 101, 168, 'removed'],
  ['vendor/fast', 73, 88, 'dead'],
  ['pool/small', 120, 168, 'removed'],
  // The bad day: most of the chain is ill at once.
  ['zen/coder', 73, 95, 'dead'],
  ['relay/coder', 74, 93, 'silent'],
  ['pool/large', 74, 92, 'no_capacity'],
  ['pool/small', 74, 92, 'no_capacity'],
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
