import { expect, test } from 'vitest'
import { quotaTable } from '../../../infra/operate/views/quota-table.ts'
import { plain } from '../../../infra/terminal/paint.ts'
import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import { endpointRow } from '../../support/endpoint-row.ts'

const NOW = 1_773_342_238_000
const WIDTH = 80

const quota = (changes: Partial<EndpointRow['quotas'][number]> = {}): EndpointRow['quotas'][number] => ({
  key: '1a2b3c4d',
  scope: 'key',
  name: 'requestsPerMinute',
  limit: 20,
  left: 7,
  returns_at: null,
  ...changes,
})
const table = (...rows: readonly EndpointRow[]): string[] =>
  quotaTable(rows, { now: NOW, width: WIDTH, paint: plain })

test('no known limit, no table', () => {
  expect(table(endpointRow())).toEqual([])
})

test('a limit tells what is left of it, and when a spent one is back', () => {
  const spent = quota({ name: 'tokensPerDay', limit: 1_000_000, left: 0, returns_at: NOW + 90 * 60_000 })
  const [, first, second] = table(endpointRow({ quotas: [quota(), spent] }))
  expect(first).toMatch(/^ {3}groq +1a2b3c4d {2}20 requests a minute +7 +–$/)
  expect(second).toMatch(/^ {3}groq +1a2b3c4d {2}1,000,000 tokens a day +0 +\S+/)
})

test('what several models share stands there once', () => {
  const rows = ['groq/a', 'groq/b'].map(name => endpointRow({ endpoint: name, id: name, quotas: [quota()] }))
  expect(table(...rows)).toHaveLength(2)
  const own = rows.map(row => ({ ...row, quotas: [quota({ scope: 'endpoint' })] }))
  expect(table(...own)).toHaveLength(3)
})

test('it fits its width, however long a name is', () => {
  const endpoint = `openrouter/${'a-very-long-name-of-a-model-'.repeat(4)}:free`
  const lines = table(endpointRow({ endpoint, quotas: [quota({ scope: 'endpoint', key: null })] }))
  expect(lines.filter(line => line.length > WIDTH)).toEqual([])
})
