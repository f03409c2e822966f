import { expect, test } from 'vitest'
import { completedRequest } from '../local/completed-request.ts'
import { firstCells, readFromRoot, readPage } from './page.ts'

const page = readPage('lambdas/LOG.md')

test('every event has a row', () => {
  const source = readFromRoot('lambdas/core/log-event.ts')
  const events = [...source.matchAll(/\bevent: '([\w-]+)'/g)].map(([, event = '']) => event)
  expect(events.length).toBeGreaterThan(15)
  // These are written beside other lines, for their metrics.
  const beside = ['attempts-failed', 'metrics-beyond-limit']
  expect(new Set(firstCells(page.rows('## Other events')))).toEqual(new Set([...events, ...beside]))
})

test('every field of an event stands in its row', () => {
  const source = readFromRoot('lambdas/core/log-event.ts').replaceAll(/\/\*\*.*?\*\//gs, '')
  const rows = new Map(page.rows('## Other events').map(([event = '', , fields = '']) => [event, fields]))
  const variants = source.split(/^ {2}\| /m).slice(2)
  for (const variant of variants) {
    const [, event = ''] = /\bevent: '([\w-]+)'/.exec(variant) ?? []
    const own = variant.slice(variant.indexOf(`'${event}'`)).split('\n\n')[0] ?? ''
    const fields = [...own.matchAll(/\b(\w+)\??: (?!')/g)].map(([, field = '']) => field)
    for (const field of fields) expect(`${event}: ${rows.get(event)}`).toContain(field)
  }
})

test('every field of a request has a row, and what is in it is named', () => {
  const { event, plan, ...line } = completedRequest({ traceId: '1', chain: 'house', finishReason: 'stop' })
  expect(event).toBe('request-completed')
  const stated = new Set(firstCells(page.rows('## A request')))
  const expected = [...Object.keys(line), ...Object.keys(plan).map(field => `plan.${field}`)]
  expect(stated).toEqual(new Set(expected))
  const inside = [plan.candidates, plan.skipped, line.attempts, [line.usage]].flatMap(([first]) =>
    Object.keys(first ?? {}),
  )
  for (const field of inside) expect(page.section('## A request')).toContain(`\`${field}\``)
})
