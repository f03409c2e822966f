import { openLocalFleet } from '../../infra/local/table/local-fleet.ts'
import { systemClock } from '../../lambdas/platform/clock.ts'
import { PROFILES, runProfile, type Judged, type ProfileName } from './run-profile.ts'
import { brokenPromises, rowsOf, scorecard } from './scorecard.ts'

/** Plays all sixteen in real time, asked in one way, over a DynamoDB of its own. */
async function playInRealTime(profile: ProfileName): Promise<readonly Judged[]> {
  const { store, close } = await openLocalFleet({})
  try {
    return await runProfile(profile, { pace: 1, settings: {}, clock: systemClock, store })
  } finally {
    await close()
  }
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`)

print('Sixteen ways to break, streamed and buffered, in real time: this takes some 80 seconds.\n')
const profiles = Object.keys(PROFILES) as ProfileName[]
const judged = await Promise.all(profiles.map(playInRealTime))
const rows = rowsOf(judged.flat())
print(scorecard(rows))

const broken = brokenPromises(rows)
for (const { scenario, streamed, buffered } of broken) {
  print(`\nNot as promised: ${scenario.title}: streamed ${streamed.verdict}, buffered ${buffered.verdict}.`)
}
if (broken.length > 0) process.exitCode = 1
