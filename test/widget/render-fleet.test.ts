import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { EndpointRow } from '../../lambdas/engine/memory/describe-fleet.ts'
import { renderFleet, type FleetPicture } from '../../lambdas/widget/render-fleet.ts'
import { endpointRow } from '../support/endpoint-row.ts'
import { hopRow, modelRow } from '../support/model-row.ts'
import { NOW, SAMPLE_MODELS, SAMPLE_ROWS } from './sample-rows.ts'

const draw = (picture: Partial<FleetPicture> = {}, theme: 'light' | 'dark' = 'light'): string =>
  renderFleet(
    { models: SAMPLE_MODELS, rows: SAMPLE_ROWS, degraded: false, unreadable: false, ...picture },
    theme,
    NOW,
  )

/** What a reader sees: the text between tags. */
const readable = (markup: string): string =>
  markup
    .replaceAll('<wbr />', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

describe('the table of endpoints', () => {
  it('shows every endpoint, what needs attention first', () => {
    const text = readable(draw({ models: [] }))
    const positions = SAMPLE_ROWS.map(({ endpoint }) => text.indexOf(endpoint))
    expect(positions).not.toContain(-1)
    const [sound = 0, quarantined = 0, cooling = 0, suspect = 0, open = 0] = positions
    expect([quarantined, suspect, open, cooling, sound]).toEqual(
      [quarantined, suspect, open, cooling, sound].toSorted((one, other) => one - other),
    )
  })

  test.each([
    ['how many there are', '7 endpoints · 2 healthy · 2 paused · 1 cooling down · 1 suspect · 1 quarantined'],
    ['since when', 'quarantined 3 h ago'],
    ['the next probe', 'in 9 min'],
    ['a probe that is due', 'due now'],
    ['a breaker and its trial', 'open trial in 22 s'],
    ['a cooldown and its key', 'rate_limit key 1a2b3c4d, ends in 41 s'],
    ['two cooldowns', 'overloaded model, ends in 8 min server_error bench, ends in 55 s'],
    ['what was refused', 'llama-3.3-70b refused: no tools, called without store'],
    ['the share of successes', '99.7% of 12,879'],
    ['the last failure', 'model_not_found (404), 4 min ago No endpoints found'],
    ['a failure without a status', 'tls, 70 s ago certificate has expired'],
  ])('tells %s', (_, expected) => {
    expect(readable(draw())).toContain(expected)
  })

  it('tells a model that is gone apart, with what its provider lists in its place', () => {
    const gone = {
      health: 'quarantined',
      retired: true,
      suggestion: 'zen/alive',
      since: NOW - 90_000_000,
    } as const
    const text = readable(draw({ rows: [...SAMPLE_ROWS, endpointRow({ endpoint: 'zen/dead', ...gone })] }))
    expect(text).toContain(
      '8 endpoints · 2 healthy · 2 paused · 1 cooling down · 1 suspect · 1 quarantined · 1 retired',
    )
    expect(text).toContain('zen/dead its provider lists zen/alive retired')
  })

  test.each([
    ['with its reason', '<b>wrong</b> answers', 'quarantined by hand: &lt;b&gt;wrong&lt;/b&gt; answers'],
    ['without one', '', 'quarantined by hand'],
  ])('tells a quarantine by hand, %s', (_, reason, words) => {
    const row = endpointRow({ endpoint: 'up/m', health: 'quarantined', since: NOW - 60_000, by_hand: reason })
    expect(readable(draw({ models: [], rows: [row] }))).toContain(`${words} 60 s ago`)
  })

  it('says when the fleet is degraded, and when nothing is known', () => {
    expect(readable(draw({ degraded: true }))).toContain('Degraded: fewer than half')
    const unknown = readable(draw({ unreadable: true }))
    expect(unknown).toContain('cannot be read')
    expect(unknown).not.toContain('healthy')
  })

  it('leaves out what it has nothing to tell of', () => {
    const text = readable(draw({ rows: [endpointRow()] }))
    expect(text).toContain('Endpoint State groq/llama healthy')
    expect(text).not.toContain('Next probe')
  })

  it('never rounds up to all', () => {
    const rows = [endpointRow({ successes: 99_999, failures: 1 })]
    expect(readable(draw({ rows }))).toContain('&gt; 99.9%')
  })
})

describe('the list of models', () => {
  const text = readable(draw())

  test.each([
    ['how many answer', '1 of 2 models answers small does not answer'],
    [
      'what bars an endpoint, and until when',
      'ollama/llama3.2 quarantined after network failures, next probe in 30 s',
    ],
    [
      'from where a model is answered',
      'gpt-4o answers from tier 2 of 2 openai/gpt-4o cooling down after a rate limit, back in 41 s groq/llama',
    ],
  ])('tells %s', (_, expected) => {
    expect(text).toContain(expected)
  })

  it('breaks names behind their slashes', () => {
    expect(draw()).toContain('openrouter/<wbr />deepseek/<wbr />deepseek-chat:free')
  })

  it('only counts what is well, where there is much', () => {
    const models = Array.from({ length: 40 }, (_, index) => modelRow(`m-${index}`, [hopRow('groq/llama')]))
    const rows = Array.from({ length: 600 }, (_, index) => endpointRow({ endpoint: `a/${index}` }))
    const many = readable(draw({ models: [...models, ...SAMPLE_MODELS], rows: [...rows, ...SAMPLE_ROWS] }))
    expect(many).toContain('… and 40 models that answer from the first endpoint')
    expect(many).toContain('… and 602 healthy endpoints')
    expect(many.length).toBeLessThan(3_000)
  })
})

describe('whatever the table holds', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 }).map(part => `<script>"'${part}</td>`)
  const row = fc
    .record({ endpoint: text, message: text, kind: text, scope: text })
    .map(({ endpoint, message, kind, scope }): EndpointRow =>
      endpointRow({
        endpoint,
        last_failure: { kind, status: 500, message, at: NOW },
        cooldowns: [{ scope, key: scope, reason: kind, until: NOW + 5_000 }],
      }),
    )
  const shapeOf = (markup: string): string =>
    markup
      .replaceAll('<wbr />', '')
      .match(/<[a-z/]+|"/g)
      ?.join('') ?? ''

  it('every value is escaped: the markup is the same as with harmless words', () => {
    fc.assert(
      fc.property(row, odd => {
        const [cooldown] = odd.cooldowns
        const failure = { kind: 'a', status: 500, message: 'a', at: NOW }
        const harmless = endpointRow({
          endpoint: 'a',
          last_failure: failure,
          cooldowns: cooldown ? [{ ...cooldown, scope: 'a', key: 'a', reason: 'a' }] : [],
        })
        expect(shapeOf(draw({ rows: [odd] }))).toBe(shapeOf(draw({ rows: [harmless] })))
      }),
    )
  })

  test.each(['light', 'dark'] as const)('needs no script and nothing from elsewhere (%s)', theme => {
    expect(draw({}, theme)).not.toMatch(/<script|javascript:|https?:|url\(|@import| on\w+=/i)
  })
})
