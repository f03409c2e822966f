import { setTimeout as delay } from 'node:timers/promises'
import { openLocalFleet } from '../../infra/local/table/local-fleet.ts'
import { systemClock } from '../../lambdas/platform/clock.ts'
import { runProfile, WAYS, type Judged, type Way } from './run-profile.ts'
import { brokenPromises, rowsOf, scorecard } from './scorecard.ts'

/** Most happens in the first seconds of each way to ask: all at once would slow each other down. */
const APART_MS = 3_000

/** Plays all sixteen in real time, asked in one way, over a DynamoDB of its own. */
async function playInRealTime(way: Way, position: number): Promise<readonly Judged[]> {
  await delay(position * APART_MS)
  const { store, close } = await openLocalFleet({})
  try {
    return await runProfile(way, { pace: 1, settings: {}, clock: systemClock, store })
  } finally {
    await close()
  }
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`)

print(
  'Sixteen ways to break, in every API, streamed and buffered, in real time: this takes some two minutes.\n',
)
const judged = await Promise.all(WAYS.map(playInRealTime))
const rows = rowsOf(judged.flat())
print(scorecard(rows))

const broken = brokenPromises(rows)
for (const { title, lane, streamed, buffered } of broken) {
  const verdicts = `streamed ${streamed.verdict} (${streamed.reason}), buffered ${buffered.verdict} (${buffered.reason})`
  print(`\nNot as promised: ${lane}: ${title}: ${verdicts}.`)
}
if (broken.length > 0) process.exitCode = 1
