import { encodeStateItem, type TableItem } from '../../lambdas/store/item-codec.ts'
import { breakerItem, capabilityItem, endpointItem, NOW } from './state-items.ts'

const endpoint = (changes: TableItem): TableItem => ({ ...encodeStateItem(endpointItem('odd')), ...changes })
const breaker = (changes: TableItem): TableItem => ({ ...encodeStateItem(breakerItem('odd')), ...changes })
const capability = (refusals: unknown): TableItem => ({
  ...encodeStateItem(capabilityItem('odd')),
  refusals,
})

/** Items that make no sense, each for one reason. */
export const GARBAGE: readonly [string, TableItem][] = [
  ['nothing but a key', { pk: 'state', sk: 'endpoint#odd' }],
  ['a kind of another key', { ...endpoint({}), sk: 'capability#odd' }],
  ['a key that nobody knows', endpoint({ sk: 'something' })],
  ['a version in words', endpoint({ version: 'first' })],
  ['a version and a half', endpoint({ version: 1.5 })],
  ['an expiry in words', breaker({ expiresAt: 'tomorrow' })],
  ['no health', endpoint({ h: undefined })],
  ['health in a word that there is not', endpoint({ h: 'healthy' })],
  ['an illness of unknown age', endpoint({ s: undefined })],
  ['an illness without probes', endpoint({ d: null })],
  ['a failure of a kind to come', endpoint({ k: 'boredom' })],
  ['an instant in words', breaker({ g: 'later' })],
  ['an instant past all dates', breaker({ g: 1e37 })],
  ['half a step', breaker({ gn: 0.5 })],
  ['a list where a number belongs', breaker({ g: [1] })],
  ['a set', breaker({ w: new Set([1, 2]) })],
  ['bytes', breaker({ t: new Uint8Array([1, 2, 3]) })],
  ['causes that are no tags', breaker({ c: 'the model' })],
  ['refusals that are no list', capability('tools')],
  ['a refusal of nothing known', capability([{ what: 'patience', until: NOW }])],
  ['a refusal without an end', capability([{ what: 'tools' }])],
  ['a refused field without a name', capability([{ what: 'param', until: NOW }])],
  ['a refused field that is no name', capability([{ what: 'param', name: 'a b', until: NOW }])],
  ['a window of half a token', capability([{ what: 'context', window: 0.5, until: NOW }])],
  [
    'overrides that are no values',
    { pk: 'state', sk: 'settings', kind: 'settings', version: 1, overrides: { retry_base_ms: [1] } },
  ],
  [
    'a mode that there is not',
    { pk: 'state', sk: 'mode', kind: 'mode', version: 1, mode: { state: 'panic' } },
  ],
]
