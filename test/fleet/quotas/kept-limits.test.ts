import { describe, expect, test } from 'vitest'
import { driveLimitedFleet, type Figures, type Fleet } from './drive-limited-fleet.ts'
import type { LimitKind } from './limited-upstream.ts'

const FLEETS: readonly Fleet[] = [1, 4, 16, 'lambda']
/** Three times what the limit allows, and two and a half times what two at a time can answer. */
const MINUTES = { everyMs: 1_000, takesMs: 400, minutes: 4 }
const SLOTS = { everyMs: 400, takesMs: 2_000, minutes: 1 }
/** For a machine that has other things to do. */
const TIMEOUT_MS = 600_000

const show = (name: string, { requests, answered, limited, used, writes }: Figures): void => {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
  process.stdout.write(
    `  ${name}: ${percent(limited)} of ${requests} requests met a 429, ${percent(used)} of the allowance used, ` +
      `${answered} answered, ${writes} writes\n`,
  )
}

describe('a limit of 20 a minute and key', () => {
  const rows = (['declared', 'headers'] as const).flatMap(telling =>
    (['window', 'bucket'] as const).flatMap(kind => FLEETS.map(fleet => [kind, telling, fleet] as const)),
  )
  test.each(rows)(
    'as a %s, told by %s, is kept and used by a fleet of %s',
    async (kind, telling, fleet) => {
      const figures = await driveLimitedFleet({ kind, telling, fleet, ...MINUTES })
      show(`${kind}, ${telling}, fleet of ${fleet}`, figures)
      expect(figures.limited).toBeLessThanOrEqual(0.01)
      expect(figures.used).toBeGreaterThanOrEqual(0.95)
    },
    TIMEOUT_MS,
  )

  const untold = [
    ['window', 16],
    ['window', 'lambda'],
    ['bucket', 1],
    ['bucket', 16],
  ] as const
  test.each(untold)(
    'as a %s that nobody tells of, is learnt from its refusals by a fleet of %s within ten minutes',
    async (kind, fleet) => {
      const scenario = {
        kind,
        telling: 'nothing',
        fleet,
        ...MINUTES,
        everyMs: 1_500,
        leadInMinutes: 10,
      } as const
      const figures = await driveLimitedFleet(scenario)
      show(`${kind}, untold, fleet of ${fleet}`, figures)
      expect(figures.limited).toBeLessThanOrEqual(0.05)
      expect(figures.used).toBeGreaterThanOrEqual(0.75)
    },
    TIMEOUT_MS,
  )
})

describe('two requests at a time', () => {
  const kind: LimitKind = 'concurrency'
  test.each(FLEETS)(
    'are kept and used by a fleet of %s where they are declared',
    async fleet => {
      const figures = await driveLimitedFleet({ kind, telling: 'declared', fleet, ...SLOTS })
      show(`two at a time, declared, fleet of ${fleet}`, figures)
      expect(figures.limited).toBeLessThanOrEqual(0.01)
      expect(figures.used).toBeGreaterThanOrEqual(0.95)
    },
    TIMEOUT_MS,
  )

  test(
    'are learnt from what refusals say within ten minutes',
    async () => {
      const scenario = {
        kind,
        telling: 'nothing',
        fleet: 4,
        ...SLOTS,
        everyMs: 1_000,
        leadInMinutes: 2,
      } as const
      const figures = await driveLimitedFleet(scenario)
      show('two at a time, untold, fleet of 4', figures)
      expect(figures.limited).toBeLessThanOrEqual(0.05)
    },
    TIMEOUT_MS,
  )
})
