import { describe, expect, it } from 'vitest'
import { METRICS, type MetricLevel } from '../../lambdas/contract.ts'
import { FAILURE_KINDS } from '../../lambdas/core/failures/kinds.ts'
import type { LogEvent } from '../../lambdas/core/log-event.ts'
import { completedRequest } from '../local/completed-request.ts'
import { countedIn, writtenFor } from './written-lines.ts'

const PROVIDERS = 10
const ALIASES = 20
const REQUESTS = 3_000

const endpointAt = (index: number): string => `provider-${index % PROVIDERS}/model-${index}`
/** Of each alias, eight endpoints of eight providers. */
const chainOf = (alias: number): readonly string[] =>
  Array.from({ length: 8 }, (_, at) => endpointAt(alias * 3 + at))
const chains = Object.fromEntries(
  Array.from({ length: ALIASES }, (_, alias) => [`alias-${alias}`, chainOf(alias)[0] ?? '']),
)

/** Each request walks its chain from the top to another place, and meets another kind of failure at each endpoint. */
function walk(index: number): LogEvent {
  const alias = index % ALIASES
  const chain = chainOf(alias)
  const length = 1 + (Math.floor(index / ALIASES) % (chain.length + 1))
  const [template] = completedRequest().attempts
  if (!template) throw new Error('the sample has attempts')
  const attempts = chain.slice(0, length).map((endpoint, at) => ({
    ...template,
    endpoint,
    provider: endpoint.split('/')[0] ?? '',
    outcome: at === length - 1 ? 'ok' : (FAILURE_KINDS[(index + at) % FAILURE_KINDS.length] ?? ''),
  }))
  const isOut = length > chain.length
  return completedRequest({
    alias: `alias-${alias}`,
    servedBy: isOut ? null : (attempts.at(-1)?.endpoint ?? null),
    ...(isOut && { outcome: 'failed', atFault: 'gateway', status: 503 }),
    attempts: isOut ? attempts.map(attempt => ({ ...attempt, outcome: 'timeout' })) : attempts,
  })
}

const traffic = Array.from({ length: REQUESTS }, (_, index) => walk(index))

/** The name and the values, which is what is billed. */
const setOf = (counted: string): string => counted.replace(/\} .*$/, '}')

function setsOf(options: { level?: MetricLevel; mostSets?: () => number }): ReadonlySet<string> {
  return new Set(countedIn(writtenFor(traffic, chains, options)).map(setOf))
}

const totalOf = (counted: readonly string[], name: string): number =>
  counted
    .filter(text => text.startsWith(name))
    .reduce((sum, text) => sum + Number(/\} (\d+) /.exec(text)?.[1]), 0)

describe('how many sets of values are written', () => {
  it('is bounded for each instance, whatever it meets', () => {
    const unbounded = setsOf({ mostSets: () => 10_000 })
    expect(unbounded.size).toBeGreaterThan(350)
    const isAlarmed = (set: string): boolean => /^(Requests|AliasOut)\{model=/.test(set)
    for (const most of [30, 100, 300]) {
      const written = [...setsOf({ mostSets: () => most })]
      expect(written.filter(set => !isAlarmed(set)).length).toBeLessThanOrEqual(most)
      // What alarms read comes on top only where it comes late.
      expect(written.length).toBeLessThanOrEqual(most + 2 * ALIASES)
    }
  })

  it('loses no count to the bound: what is beyond it stands under other', () => {
    const bounded = countedIn(writtenFor(traffic, chains, { mostSets: () => 60 }))
    const whole = countedIn(writtenFor(traffic, chains, { mostSets: () => 10_000 }))
    for (const name of ['Fallbacks{model=', 'Fallbacks{fallback_chain=', 'AttemptFailures{provider=']) {
      expect(totalOf(bounded, name)).toBe(totalOf(whole, name))
      expect(totalOf(whole, name)).toBeGreaterThan(1_000)
    }
    expect(bounded.some(text => text.startsWith('Fallbacks{model=other}'))).toBe(true)
    expect(bounded.some(text => text.startsWith('AttemptFailures{provider=other, kind=other}'))).toBe(true)
  })

  it('leaves no alarm of a model without its metrics, however many models came before', () => {
    const aliases = Array.from({ length: 120 }, (_, index) => `model-${index}`)
    const answered = aliases.map(alias => completedRequest({ alias, stream: true, firstTokenMs: 5 }))
    const out = completedRequest({
      alias: 'model-7',
      outcome: 'failed',
      status: 502,
      servedBy: null,
      atFault: 'gateway',
      attempts: [],
    })
    const counted = countedIn(
      writtenFor([...answered, out], Object.fromEntries(aliases.map(alias => [alias, 'openai/gpt-4o']))),
    )
    expect(counted.filter(text => text.startsWith('AliasOut'))).toEqual(['AliasOut{model=model-7} 1 Count'])
    expect(counted.filter(text => text === 'Requests{model=model-7} 1 Count')).toHaveLength(2)
    expect(counted.some(text => text.endsWith('{model=other} 5 Milliseconds'))).toBe(true)
  })

  it('follows the setting while the gateway runs', () => {
    let most = 30
    let seen = 0
    const mostSets = (): number => {
      seen += 1
      if (seen > 500) most = 10_000
      return most
    }
    expect(setsOf({ mostSets }).size).toBeGreaterThan(300)
  })

  it('is as small as alarms and a dashboard need where that is asked for', () => {
    const essential = setsOf({ level: 'essential' })
    const undimensioned = Object.values(METRICS).filter(row => 'essential' in row).length - 1
    // Beside these, one set for each alias that fell back.
    expect(essential.size).toBeLessThanOrEqual(undimensioned + ALIASES)
    expect([...essential].filter(set => set.includes('provider'))).toEqual([])
  })
})
