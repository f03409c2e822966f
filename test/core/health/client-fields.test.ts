import { expect, test } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { mayBeOfOwnFields, ownFieldsOf, type OwnFields } from '../../../lambdas/core/health/client-fields.ts'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { failureOf } from '../build.ts'

const bodies: [JsonObject, OwnFields][] = [
  [{ model: 'm', messages: [], temperature: 0, tools: [], stream: true, user: 'u' }, null],
  [{ model: 'm', provider: undefined } as unknown as JsonObject, null],
  [{ model: 'm', provider: { data_collection: 'deny' } }, 'choosing'],
  [{ model: 'm', top_k: 4, models: ['other'] }, 'choosing'],
  [{ model: 'm', service_tier: 'flex' }, 'choosing'],
  [{ model: 'm', top_k: 4 }, 'other'],
]
test.each(bodies)('%j sends fields of its own: %s', (body, own) => expect(ownFieldsOf(body)).toBe(own))

const refused = (changes: Partial<Failure>): Failure =>
  failureOf({ kind: 'permission', scope: 'model', status: 403, class: 'non_retryable', ...changes })
const rows: [string, Failure, OwnFields, boolean][] = [
  ['without such fields everything is believed', refused({}), null, false],
  [
    'a field that chooses may make a model disappear',
    refused({ kind: 'model_unavailable', status: 404, structural: true }),
    'choosing',
    true,
  ],
  ['or a host be full', refused({ kind: 'overloaded', status: 503 }), 'choosing', true],
  ['or a limit be met', refused({ kind: 'rate_limit', status: 429 }), 'choosing', true],
  ['any other may be what was refused', refused({}), 'other', true],
  [
    'but makes no model disappear',
    refused({ kind: 'model_not_found', status: 404, structural: true }),
    'other',
    false,
  ],
  ['and breaks no server', refused({ kind: 'server_error', status: 500 }), 'other', false],
  ['no field makes a host unreachable', refused({ kind: 'network', status: null }), 'choosing', false],
  ['a key wrong', refused({ kind: 'auth', status: 401 }), 'choosing', false],
  ['or an account empty', refused({ kind: 'quota_exhausted', status: 402 }), 'choosing', false],
]
test.each(rows)('%s', (_, failure, own, expected) => expect(mayBeOfOwnFields(failure, own)).toBe(expected))
