import { expect, test } from 'vitest'
import { endAfterEach } from '../fleet/instances/end-after-each.ts'
import { BEHAVIOURS } from '../support/behaviours.ts'
import { MANY_REQUESTS } from './sequences/many-requests.ts'
import { ONE_REQUEST } from './sequences/one-request.ts'

const open = endAfterEach()
const SEQUENCES = [...ONE_REQUEST, ...MANY_REQUESTS]
const ROWS = SEQUENCES.map(sequence => [sequence.id, sequence.consequence, sequence] as const)

test.each(ROWS)('%s: %s', async (_, __, { run }) => {
  expect.hasAssertions()
  await run(open)
})

test('every recorded behaviour that is more than one answer of a loopback server is among them', () => {
  const rest = BEHAVIOURS.filter(
    ({ upstream: { sequence, fault } }) =>
      sequence || fault?.type === 'client_disconnect' || fault?.type === 'ENOTFOUND',
  )
  expect(SEQUENCES.map(({ id }) => id).toSorted()).toEqual(rest.map(({ id }) => id).toSorted())
})
