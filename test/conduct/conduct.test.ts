import { beforeAll, describe, expect, test } from 'vitest'
import { createWorld } from '../support/start-gateway.ts'
import { PROFILES, runProfile, type Judged, type ProfileName } from './run-profile.ts'
import { SCENARIOS } from './scenarios.ts'

const profiles = Object.keys(PROFILES) as ProfileName[]
const judged = new Map<ProfileName, readonly Judged[]>()

beforeAll(async () => {
  const run = async (profile: ProfileName): Promise<void> => {
    judged.set(profile, await runProfile(profile, { pace: 1, settings: {}, ...createWorld() }))
  }
  await Promise.all(profiles.map(run))
})

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
