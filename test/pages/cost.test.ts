import shippedConfig from '#gateway-config'
import { expect, test } from 'vitest'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { observedTemplate } from '../infra/constructs/observed-stack.ts'
import { readPage } from './page.ts'

const template = observedTemplate(parseGatewayConfig(shippedConfig))
const cost = readPage('infra/README.md').section('## What it costs')
const tables = cost.split('| item |').slice(1)
const CENT = 0.01

/** The dollars of each row of a table, and those of its last row. */
function dollarsOf(table: string): { parts: number[]; together: number } {
  const [own = ''] = table.split('\n\n')
  const dollars = [...own.matchAll(/\| \**(\d+\.\d\d)\** \|$/gm)].map(([, amount]) => Number(amount))
  return { parts: dollars.slice(0, -1), together: dollars.at(-1) ?? 0 }
}

test.each([
  ['idle', 0],
  ['a million requests', 1],
])('%s: the rows come to what is stated', (_title, index) => {
  const { parts, together } = dollarsOf(tables[index] ?? '')
  expect(parts.length).toBeGreaterThan(3)
  const sum = parts.reduce((one, other) => one + other, 0)
  // Each row is rounded.
  expect(Math.abs(sum - together)).toBeLessThan(CENT * parts.length)
})

test('the front page has the bill of an idle gateway', () => {
  const { together } = dollarsOf(tables[0] ?? '')
  expect(readPage('README.md').text).toContain(`about ${together.toFixed(2)} dollars a month`)
})

test('the alarms that are billed are those of the stack', () => {
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties as { Metrics?: { MetricStat?: object }[] },
  )
  const metrics = alarms.flatMap(({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat) ?? [{}])
  expect(cost).toContain(`${metrics.length} metrics in ${alarms.length} alarms`)
})
