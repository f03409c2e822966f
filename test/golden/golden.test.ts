import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it, test } from 'vitest'
import { playScenario } from './play-scenario.ts'
import type { Scenario } from './scenario.ts'
import { ANSWERS } from './scenarios/answers.ts'
import { FAILURES } from './scenarios/failures.ts'
import { MEMORY } from './scenarios/memory.ts'
import { REFUSALS } from './scenarios/refusals.ts'
import { REQUESTS } from './scenarios/requests.ts'
import { RETRIES } from './scenarios/retries.ts'

/** `UPDATE_GOLDEN=1` records anew what the gateway does; the difference is then for people to judge. */
const isRecording = process.env['UPDATE_GOLDEN'] === '1'

const GROUPS: Record<string, readonly Scenario[]> = {
  answers: ANSWERS,
  failures: FAILURES,
  memory: MEMORY,
  refusals: REFUSALS,
  requests: REQUESTS,
  retries: RETRIES,
}

const folder = new URL('recordings/', import.meta.url)
const fileOf = (group: string): URL => new URL(`${group}.json`, folder)

function recordingsOf(group: string): Record<string, unknown> {
  const file = fileOf(group)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

describe.each(Object.entries(GROUPS))('%s, as recorded', (group, scenarios) => {
  const recordings = isRecording ? {} : recordingsOf(group)

  test.each(scenarios.map(scenario => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
    const played: unknown = JSON.parse(JSON.stringify(await playScenario(scenario)))
    if (isRecording) recordings[name] = played
    expect(played).toEqual(recordings[name])
  })

  it('has a recording of each scenario, and no other', () => {
    expect(Object.keys(recordings)).toEqual(scenarios.map(({ name }) => name))
  })

  afterAll(() => {
    if (!isRecording) return
    mkdirSync(folder, { recursive: true })
    writeFileSync(fileOf(group), `${JSON.stringify(recordings, null, 1)}\n`)
  })
})
