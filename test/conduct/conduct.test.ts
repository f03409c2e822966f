import { beforeAll, describe, expect, test } from 'vitest'
import { createWorld } from '../support/start-gateway.ts'
import { runProfile, WAYS, type Judged } from './run-profile.ts'
import { SCENARIOS } from './scenarios.ts'

const judged: Judged[] = []
/** Time is virtual; what takes long on a busy machine is the work of fifteen gateways. */
const PATIENCE_MS = 600_000

beforeAll(async () => {
  const runs = WAYS.map(way => runProfile(way, { pace: 1, settings: {}, ...createWorld() }))
  judged.push(...(await Promise.all(runs)).flat())
}, PATIENCE_MS)

describe.each(WAYS)('asked by $lane, $profile, the gateway is well conducted in the face of', way => {
  test.each(SCENARIOS.map(({ id, title }) => [id, title]))('%s: %s', id => {
    const found = judged.find(
      ({ scenario, lane, profile }) => scenario.id === id && lane === way.lane && profile === way.profile,
    )
    const promised = way.profile === 'streamed' ? found?.scenario.streamed : 'pass'
    expect({ verdict: found?.verdict, reason: found?.reason }).toEqual({
      verdict: promised,
      reason: expect.any(String),
    })
  })
})
