import { encodeStateItem, type TableItem } from '../../lambdas/store/item-codec.ts'
import { capabilityItem, cooldownItem, endpointItem, NOW } from './state-items.ts'

const endpoint = (changes: TableItem): TableItem => ({ ...encodeStateItem(endpointItem('odd')), ...changes })
const cooldown = (changes: TableItem): TableItem => ({ ...encodeStateItem(cooldownItem('odd')), ...changes })
const capability = (refusals: unknown): TableItem => ({
  ...encodeStateItem(capabilityItem('odd')),
  refusals,
})
const { health } = endpointItem('odd')
const { cooldown: cooling } = cooldownItem('odd')

/** Items that make no sense, each for one reason. */
export const GARBAGE: readonly [string, TableItem][] = [
  ['nothing but a key', { pk: 'state', sk: 'endpoint#odd' }],
  ['an unknown kind', endpoint({ kind: 'prophecy' })],
  ['a kind of another key', { ...endpoint({}), sk: 'cooldown#odd' }],
  ['a key that nobody knows', endpoint({ sk: 'something' })],
  ['a version in words', endpoint({ version: 'first' })],
  ['a version and a half', endpoint({ version: 1.5 })],
  ['an expiry in words', cooldown({ expiresAt: 'tomorrow' })],
  ['no health', endpoint({ health: undefined })],
  ['health as text', endpoint({ health: 'quarantined' })],
  ['healthy as an illness', endpoint({ health: { state: 'healthy' } })],
  ['an illness of unknown age', endpoint({ health: { ...health, since: undefined } })],
  ['an illness without probes', endpoint({ health: { ...health, probe: null } })],
  ['a failure of a kind to come', endpoint({ health: { ...health, failure: { kind: 'boredom' } } })],
  ['an instant in words', cooldown({ cooldown: { ...cooling, until: 'later' } })],
  ['an instant past all dates', cooldown({ cooldown: { ...cooling, until: 1e37 } })],
  ['half a rung', cooldown({ cooldown: { ...cooling, step: 0.5 } })],
  ['a list where an object belongs', cooldown({ cooldown: [cooling] })],
  ['a set', cooldown({ cooldown: new Set(['a', 'b']) })],
  ['bytes', cooldown({ cooldown: new Uint8Array([1, 2, 3]) })],
  ['refusals that are no list', capability('tools')],
  ['a refusal of nothing known', capability([{ what: 'patience', until: NOW }])],
  ['a refusal without an end', capability([{ what: 'tools' }])],
  ['a refused field without a name', capability([{ what: 'param', until: NOW }])],
  ['a refused field that is no name', capability([{ what: 'param', name: 'a b', until: NOW }])],
  ['a window of half a token', capability([{ what: 'context', window: 0.5, until: NOW }])],
  [
    'an open breaker of unknown age',
    {
      pk: 'state',
      sk: 'breaker#odd',
      kind: 'breaker',
      version: 1,
      breaker: { state: 'open' },
      failuresUntil: NOW,
    },
  ],
  [
    'overrides that are no values',
    { pk: 'state', sk: 'settings', kind: 'settings', version: 1, overrides: { retry_base_ms: [1] } },
  ],
  [
    'a mode that there is not',
    { pk: 'state', sk: 'mode', kind: 'mode', version: 1, mode: { state: 'panic' } },
  ],
]
