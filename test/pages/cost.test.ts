import shippedConfig from '#gateway-config'
import { describe, expect, it, test } from 'vitest'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { stackFigures } from '../bench/bill/idle-bill.ts'
import { withoutMarks } from '../bench/page-fragments.ts'
import { synthesise } from '../infra/synthesise.ts'
import { readPage } from './page.ts'

const config = parseGatewayConfig(shippedConfig)
const cost = withoutMarks(readPage('infra/README.md').section('## What it costs'))
const tables = [...cost.matchAll(/^\| item .*\n\|-.*\n((?:\|.*\n)+)/gm)].map(([, rows = '']) => rows)
const [idle = '', million = '', container = ''] = tables
const CENT = 0.01

/** The dollars of each row of a table, and those of its last row. */
function dollarsOf(table: string): { parts: number[]; together: number } {
  const dollars = [...table.matchAll(/\| \**(\d+\.\d\d)\** +\|$/gm)].map(([, amount]) => Number(amount))
  return { parts: dollars.slice(0, -1), together: dollars.at(-1) ?? 0 }
}

test.each([
  ['idle', idle],
  ['a million requests', million],
  ['a container', container],
])('%s: the rows come to what is stated', (_, table) => {
  const { parts, together } = dollarsOf(table)
  expect(parts.length).toBeGreaterThanOrEqual(3)
  const sum = parts.reduce((one, other) => one + other, 0)
  // Each row is rounded.
  expect(Math.abs(sum - together)).toBeLessThan(CENT * parts.length)
})

describe('an idle month', () => {
  const figuresOf = (deploy: object) =>
    stackFigures(synthesise({ ...config, deploy: { ...config.deploy, ...deploy } }, 'prod').template)

  it('is on the front page', () => {
    const { together } = dollarsOf(idle)
    expect(withoutMarks(readPage('README.md').text)).toContain(`about ${together.toFixed(2)} dollars a month`)
  })

  it('has the alarms of the stack, and one secret, one schedule and no key of its own', () => {
    const stack = figuresOf({})
    expect(idle).toContain(`${stack.alarmMetrics} metrics in ${stack.alarms} alarms`)
    expect(stack).toMatchObject({ dashboards: 1, secrets: 1, customKeys: 0, probeRuns: 43_200 })
  })

  it('stays below what it aims at: 2.50, and 1.40 with everything essential', () => {
    expect(dollarsOf(idle).together).toBeLessThanOrEqual(2.5)
    const essential = figuresOf({ metrics: 'essential', alarms: 'essential', dashboard: false })
    expect(cost).toContain(`${essential.alarmMetrics} metrics in ${essential.alarms} alarms, whatever`)
    const [, dollars] = /dashboard: false \}` it costs (\d+\.\d\d)/.exec(cost) ?? []
    expect(Number(dollars)).toBeLessThanOrEqual(1.4)
  })
})
