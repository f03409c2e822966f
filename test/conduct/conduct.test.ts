import { beforeAll, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../support/memory-store.ts'
import { PROFILES, runProfile, type Judged, type ProfileName } from './run-profile.ts'
import { SCENARIOS } from './scenarios.ts'

/** One second of the catalogue becomes 200 ms; what the gateway waits for shrinks alike. */
const PACE = 0.2
const SETTINGS = {
  first_output_timeout_ms: 10_000 * PACE,
  idle_timeout_ms: 25_000 * PACE,
  breaker_open_ms: 60_000 * PACE,
}
const LONGEST_MS = 60_000

const profiles = Object.keys(PROFILES) as ProfileName[]
const judged = new Map<ProfileName, readonly Judged[]>()

beforeAll(async () => {
  const run = async (profile: ProfileName): Promise<void> => {
    const store = createMemoryStore({ now: Date.now })
    judged.set(profile, await runProfile(profile, { pace: PACE, settings: SETTINGS, store }))
  }
  await Promise.all(profiles.map(run))
}, LONGEST_MS)

describe.each(profiles)('asked %s, the gateway is well conducted in the face of', profile => {
  test.each(SCENARIOS.map(({ id, title }) => [id, title]))('%s: %s', id => {
    const found = judged.get(profile)?.find(({ scenario }) => scenario.id === id)
    const promised = profile === 'streamed' ? found?.scenario.streamed : 'pass'
    expect({ verdict: found?.verdict, reason: found?.reason }).toEqual({
      verdict: promised,
      reason: expect.any(String),
    })
  })
})
