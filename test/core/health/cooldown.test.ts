import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  BENCH_LADDER_MS,
  cooldownAfter,
  type Cooldown,
  type CooldownEvent,
} from '../../../lambdas/core/health/cooldown.ts'
import { FAILURE_KINDS, LADDER_MS } from '../../../lambdas/core/failures/kinds.ts'

const AT = 1_000_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const event = (overrides: Partial<CooldownEvent> = {}): CooldownEvent => ({
  kind: 'rate_limit',
  statedMs: null,
  at: AT,
  request: 'first',
  ...overrides,
})

/** Each failure comes from a request of its own, so many milliseconds after the last cooldown has ended. */
function climb(times: number, ladder?: readonly number[], pause = 0): number[] {
  const waits: number[] = []
  let cooldown: Cooldown | null = null
  for (let turn = 0; turn < times; turn += 1) {
    const at: number = (cooldown?.until ?? AT) + pause
    cooldown = cooldownAfter(cooldown, event({ at, request: `request ${turn}` }), ladder)
    waits.push(cooldown.until - at)
  }
  return waits
}

describe('the ladder', () => {
  it('has the rungs that are promised', () => {
    expect(LADDER_MS).toEqual([MINUTE, 2 * MINUTE, 10 * MINUTE, HOUR, DAY])
    expect(climb(5)).toEqual([...LADDER_MS])
  })

  it('stops at ten minutes for a bench', () => {
    expect(climb(5, BENCH_LADDER_MS)).toEqual([MINUTE, 2 * MINUTE, 10 * MINUTE, 10 * MINUTE, 10 * MINUTE])
  })

  it('is forgotten a day after the bench has ended', () => {
    const first = cooldownAfter(null, event())
    const end = AT + MINUTE
    const within = cooldownAfter(first, event({ at: end + DAY - 1, request: 'second' }))
    expect(within).toMatchObject({ step: 1, until: end + DAY - 1 + 2 * MINUTE })
    const past = cooldownAfter(first, event({ at: end + DAY, request: 'second' }))
    expect(past).toMatchObject({ step: 0, until: end + DAY + MINUTE })
  })

  it('is climbed at most once by one request', () => {
    const first = cooldownAfter(null, event())
    const again = cooldownAfter(first, event({ at: AT + MINUTE }))
    expect(again).toMatchObject({ step: 0, until: AT + 2 * MINUTE })
  })

  it('is not climbed by what fails together', () => {
    const first = cooldownAfter(null, event())
    expect(cooldownAfter(first, event({ at: AT + 5, request: 'second' }))).toBe(first)
    expect(cooldownAfter(first, event({ at: AT + MINUTE - 1, request: 'third' }))).toBe(first)
  })

  it('begins at its foot after waits that were stated', () => {
    const stated = cooldownAfter(null, event({ statedMs: 5_000 }))
    expect(stated.step).toBeNull()
    expect(cooldownAfter(stated, event({ at: AT + 6_000, request: 'second' })).step).toBe(0)
  })

  it('is not climbed by waits that are stated', () => {
    const first = cooldownAfter(null, event())
    const stated = cooldownAfter(first, event({ at: AT + MINUTE, statedMs: 1_000, request: 'second' }))
    expect(stated).toMatchObject({ step: 0, until: AT + MINUTE + 1_000 })
  })
})

describe('the wait', () => {
  const rows: [string, Partial<CooldownEvent>, number][] = [
    ['is the one that was stated', { statedMs: 12_345 }, 12_345],
    ['is none where none was wanted', { statedMs: 0 }, 0],
    ['is as long as was stated: whoever read it has clamped it', { statedMs: 40 * DAY }, 40 * DAY],
    ['is five minutes for a refused key', { kind: 'auth' }, 5 * MINUTE],
    ['is a day for a tier that is forbidden', { kind: 'permission' }, DAY],
    ['is what was stated for a refused key too', { kind: 'auth', statedMs: 1_000 }, 1_000],
    ['is the first rung for a limit', { kind: 'rate_limit' }, MINUTE],
    ['is the first rung for a spent quota', { kind: 'quota_exhausted' }, MINUTE],
    ['is the first rung for their capacity', { kind: 'site_capacity' }, MINUTE],
  ]
  test.each(rows)('%s', (_, overrides, wait) => {
    expect(cooldownAfter(null, event(overrides)).until).toBe(AT + wait)
  })

  it('of a fixed length prolongs a shorter one that is still running', () => {
    const limited = cooldownAfter(null, event())
    const forbidden = cooldownAfter(limited, event({ kind: 'permission', at: AT + 1, request: 'second' }))
    expect(forbidden).toMatchObject({ until: AT + 1 + DAY, kind: 'permission', step: 0 })
  })

  it('keeps the reason of whatever ends last', () => {
    const long = cooldownAfter(null, event({ kind: 'quota_exhausted', statedMs: HOUR }))
    const short = cooldownAfter(long, event({ kind: 'rate_limit', statedMs: MINUTE, request: 'second' }))
    expect(short).toMatchObject({ until: AT + HOUR, kind: 'quota_exhausted' })
  })
})

describe('laws', () => {
  const events = fc.record({
    kind: fc.constantFrom(...FAILURE_KINDS),
    statedMs: fc.option(fc.integer({ min: 0, max: 2 * DAY }), { freq: 2 }),
    pause: fc.integer({ min: 0, max: 2 * HOUR }),
    request: fc.constantFrom('a', 'b', 'c'),
  })
  const ladders = fc.constantFrom<readonly number[]>(LADDER_MS, BENCH_LADDER_MS)

  function play(
    script: readonly (Omit<CooldownEvent, 'at'> & { pause: number })[],
    ladder: readonly number[],
  ) {
    let cooldown: Cooldown | null = null
    let at = AT
    return script.map(({ pause, ...rest }) => {
      at += pause
      const before = cooldown
      cooldown = cooldownAfter(before, { ...rest, at }, ladder)
      return { event: { ...rest, at }, before, after: cooldown }
    })
  }

  it('no failure ever shortens a cooldown, and a stated wait is always obeyed', () => {
    fc.assert(
      fc.property(fc.array(events), ladders, (script, ladder) => {
        for (const { event, before, after } of play(script, ladder)) {
          expect(after.until).toBeGreaterThanOrEqual(before?.until ?? 0)
          expect(after.until).toBeGreaterThanOrEqual(event.at + (event.statedMs ?? 0))
          if (event.statedMs !== null) {
            expect(after.until).toBe(Math.max(before?.until ?? 0, event.at + event.statedMs))
          }
        }
      }),
    )
  })

  it('a failure climbs at most one rung, and none where its request was the last to climb', () => {
    fc.assert(
      fc.property(fc.array(events), ladders, (script, ladder) => {
        for (const { event, before, after } of play(script, ladder)) {
          const rung = after.step ?? -1
          expect(rung).toBeLessThan(ladder.length)
          expect(rung).toBeLessThanOrEqual((before?.step ?? -1) + 1)
          if (before?.request === event.request && before.step !== null) {
            expect(rung).toBeLessThanOrEqual(before.step)
          }
        }
      }),
    )
  })

  it('failures during a cooldown leave the rung where it is', () => {
    fc.assert(
      fc.property(fc.array(events), ladders, (script, ladder) => {
        for (const { event, before, after } of play(script, ladder)) {
          if (before && before.until > event.at) expect(after.step).toBe(before.step)
        }
      }),
    )
  })
})

it('tells a wait that was asked for from one that was guessed, also on top of the ladder', () => {
  const guessed = cooldownAfter(null, event())
  expect(guessed.stated).toBe(false)
  const asked = cooldownAfter(guessed, event({ at: AT + 2 * MINUTE, statedMs: 600_000, request: 'second' }))
  expect(asked).toMatchObject({ stated: true, step: 0, until: AT + 12 * MINUTE })
  expect(cooldownAfter(asked, event({ at: AT + 3 * MINUTE, statedMs: 1_000, request: 'third' })).stated).toBe(
    true,
  )
})
