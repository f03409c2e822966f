import { mkdtemp, rm } from 'node:fs/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import shippedConfig from '#gateway-config'
import { createLocalLog } from '../../infra/local/local-log.ts'
import { createRequestMemory } from '../../infra/local/request-memory.ts'
import { type LocalGateway, startLocalGateway } from '../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { createTurnedClock, type TurnedClock } from '../support/clocks/turned-clock.ts'
import { PAGES, readFromRoot, readPage } from './page.ts'
import { pictureText } from './picture-text.ts'
import { playSample } from './play-sample.ts'
import { consoleSamples, type Sample, samplesOf } from './sample.ts'
import { leaveOut, settledOutput } from './shown-output.ts'

const PICTURE = 'infra/pictures/terminal.svg'
/** `UPDATE_SAMPLES=1` writes what was printed into the pages; look at the difference before you commit it. */
const UPDATES = process.env.UPDATE_SAMPLES === '1'
// Slow enough for a stream to be one.
const PACE = 0.1
/** Between two commands: longer than a gateway goes on with one look at its memory. */
const THINKING_MS = 1_500
const LONGEST_SAMPLE_MS = 90_000

type Stage = { gateway: LocalGateway; clock: TurnedClock }

async function startFresh(): Promise<Stage> {
  const clock = createTurnedClock()
  clock.stop()
  // Noon, so that no cooldown of a sample ends on another day.
  clock.pass(new Date(clock.now()).setHours(12, 0, 0, 0) - clock.now())
  const memory = createRequestMemory()
  const gateway = await startLocalGateway({
    config: parseGatewayConfig(shippedConfig),
    // The look at the table that a quiet machine takes in a moment.
    variables: { STATE_WAIT_MS: '1000' },
    port: 0,
    memory,
    log: createLocalLog({ memory, json: false, write: () => {} }),
    onHandlerError: error => expect.fail(String(error)),
    pace: PACE,
    clock,
  })
  return { gateway, clock }
}

type Correction = { at: number; before: string; after: string }

function correct(path: string, corrections: readonly Correction[]): void {
  const file = new URL(`../../${path}`, import.meta.url)
  const corrected = corrections
    .toReversed()
    .reduce(
      (text, { at, before, after }) =>
        text.startsWith(before, at)
          ? text.slice(0, at) + after + text.slice(at + before.length)
          : expect.fail(`${path} was edited meanwhile`),
      readFileSync(file, 'utf8'),
    )
  writeFileSync(file, corrected)
}

function describeSamples(path: string, samples: readonly Sample[]): void {
  describe.sequential(`samples of ${path}`, { timeout: LONGEST_SAMPLE_MS }, () => {
    let stage: Stage | null = null
    let folder: string
    const corrections: Correction[] = []
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'backstop-samples-'))
    })
    afterAll(async () => {
      await stage?.gateway.close(LONGEST_SAMPLE_MS)
      await rm(folder, { recursive: true, force: true })
      correct(path, corrections)
    })

    test.for(samples.map(sample => ({ ...sample, title: `line ${sample.line}: ${sample.command}` })))(
      '$title',
      async sample => {
        if (sample.fresh) {
          await stage?.gateway.close(LONGEST_SAMPLE_MS)
          stage = null
        }
        stage ??= await startFresh()
        const { gateway, clock } = stage
        clock.pass(THINKING_MS)
        const { status, output } = await playSample(sample, { gateway, folder, now: clock.now() })
        if (sample.output === null) return expect([status, output]).toEqual([0, expect.any(String)])
        const before = sample.output
        const after = leaveOut(output, before.trimEnd())
        if (settledOutput(after) === settledOutput(before.trimEnd())) return
        if (UPDATES && path.endsWith('.md'))
          corrections.push({ at: sample.outputAt, before, after: `${after}\n` })
        else expect(settledOutput(after)).toBe(settledOutput(before.trimEnd()))
      },
    )
  })
}

for (const path of PAGES) {
  const samples = samplesOf(readPage(path))
  if (samples.length > 0) describeSamples(path, samples)
}

const text = pictureText(readFromRoot(PICTURE))
describeSamples(PICTURE, consoleSamples({ text, textAt: 0, line: 1, fresh: true }))
