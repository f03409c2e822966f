import { describe, expect, it, test } from 'vitest'
import {
  METRICS,
  METRIC_NAMESPACE,
  metricNamespaceOf,
  type MetricDimension,
} from '../../../lambdas/contract.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { dashboardWidgets, type DashboardWidget } from './dashboard-body.ts'
import { observedConfig, observedTemplate } from './observed-stack.ts'

const template = observedTemplate()
const widgets = dashboardWidgets(template)

/** `Fallbacks [fallback_chain]` for every metric of ours that a widget shows. */
function shownBy({ properties }: DashboardWidget): string[] {
  return (properties.metrics ?? []).flatMap(row => {
    const text = JSON.stringify(row)
    const searches = [...text.matchAll(/SEARCH\('\{(\w+),?([\w,]*)\} MetricName=\\?"(\w+)\\?"'/g)]
    const found = searches.map(([, namespace, set = '', name = '']) => [namespace, name, set])
    const [namespace, name, ...rest] = row
    const plain =
      namespace === METRIC_NAMESPACE ? [[namespace, name, rest.filter(part => typeof part === 'string')]] : []
    return [...found, ...plain].map(([where, metric, set]) => {
      expect(where).toBe(METRIC_NAMESPACE)
      return `${String(metric)} [${String(set)}]`
    })
  })
}

const emitted = Object.entries(METRICS).flatMap(([name, { dimensions }]) =>
  dimensions.map((set: readonly MetricDimension[]) => `${name} [${set.join()}]`),
)

describe('the dashboard', () => {
  it('shows every metric that the code emits, under each of its sets, and none that it does not', () => {
    const shown = new Set(widgets.flatMap(shownBy))
    expect([...shown].toSorted()).toEqual(emitted.toSorted())
  })

  it('shows every essential metric, and none that is not written, where metrics are essential', () => {
    const small = dashboardWidgets(observedTemplate(observedConfig({ metrics: 'essential', alarms: 'none' })))
    const written = Object.entries(METRICS).flatMap(([name, row]) =>
      ('essential' in row ? row.essential : []).map(
        (set: readonly MetricDimension[]) => `${name} [${set.join()}]`,
      ),
    )
    expect([...new Set(small.flatMap(shownBy))].toSorted()).toEqual(written.toSorted())
    expectNoGaps(small)
  })

  it('has neither gaps nor overlaps', () => {
    expectNoGaps(widgets)
  })

  function expectNoGaps(shown: DashboardWidget[]): void {
    const cells = shown.flatMap(({ x, y, width, height }) =>
      Array.from(
        { length: width * height },
        (_, cell) => `${x + (cell % width)},${y + Math.floor(cell / width)}`,
      ),
    )
    const bottom = Math.max(...shown.map(({ y, height }) => y + height))
    expect(new Set(cells).size).toBe(cells.length)
    expect(cells).toHaveLength(24 * bottom)
    expect(Math.max(...shown.map(({ x, width }) => x + width))).toBe(24)
  }

  it('sorts fallback paths by how often they are travelled', () => {
    const paths = widgets.filter(({ properties }) => properties.title?.startsWith('Fallback paths'))
    expect(paths).toHaveLength(2)
    for (const path of paths)
      expect(JSON.stringify(path)).toMatch(/SORT\(SEARCH\('\{Backstop,fallback_chain\}.*SUM, DESC/)
  })

  it('begins with the live table of endpoints', () => {
    expect(widgets[0]).toMatchObject({ type: 'custom', x: 0, y: 0, width: 24 })
    expect(widgets[0]?.properties.endpoint).toContain('Widget')
  })

  test.each([
    ['AWS/DynamoDB', ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents']],
    ['AWS/Lambda', ['Errors', 'Duration', 'ConcurrentExecutions', 'Throttles']],
  ])('shows what %s counts', (namespace, names) => {
    const rows = widgets.flatMap(({ properties }) => properties.metrics ?? [])
    const counted = rows.filter(row => row[0] === namespace).map(row => row[1])
    expect(counted).toEqual(expect.arrayContaining(names))
  })

  it('shows dollars only where there are prices', () => {
    const titles = (found: DashboardWidget[]): string =>
      JSON.stringify(found.map(({ properties }) => properties.title))
    expect(titles(widgets)).toContain('Dollars a day')
    const config = parseGatewayConfig({ models: { free: { tiers: [['groq/a']] } } })
    const withoutPrices = dashboardWidgets(observedTemplate(config))
    expect(titles(withoutPrices)).not.toContain('Dollars')
  })
})

describe('another stage', () => {
  const staged = (namespace: string): string =>
    JSON.stringify(observedTemplate(undefined, namespace).toJSON())

  it('has a namespace of its own, for dashboard and alarms alike', () => {
    expect([metricNamespaceOf('prod'), metricNamespaceOf('dev')]).toEqual(['Backstop', 'Backstop/dev'])
    const text = staged('Backstop/dev')
    expect(text).toContain('"Namespace":"Backstop/dev"')
    expect(text).toContain("SEARCH('{Backstop/dev,model}")
    expect(text).not.toContain('"Namespace":"Backstop"')
    expect(text).not.toContain('{Backstop,')
  })

  it('is quoted in searches where its name has a dash', () => {
    expect(staged('Backstop/my-stage')).toMatch(/SEARCH\('\{\\+"Backstop\/my-stage\\+",model\}/)
  })
})

describe('saved queries', () => {
  const queries = Object.values(template.findResources('AWS::Logs::QueryDefinition')).map(
    ({ Properties }) => Properties as { Name: string; QueryString: string; LogGroupNames: unknown[] },
  )

  test.each([
    ['slowest requests', 'sort durationMs desc'],
    ["one request's attempts", 'attempts.0.endpoint'],
    ["one request's attempts", 'filter event = "request-completed" and requestId = '],
    ['refusals by client', 'count(*) as refusals by caller, code'],
    ['top failing endpoints', 'sum(AttemptFailures) as failures by endpoint, kind'],
  ])('%s', (title, part) => {
    const query = queries.find(({ Name }) => Name === `Backstop-test/${title}`)
    expect(query?.QueryString).toContain(part)
    expect(query?.LogGroupNames).toEqual([{ Ref: expect.stringContaining('GatewayLogs') as unknown }])
  })
})
