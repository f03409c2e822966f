import { expect } from 'vitest'
import type { LogEvent } from '../../lambdas/core/log-event.ts'
import type { MetricDimension } from '../../lambdas/contract.ts'
import { createMetricLog, type MetricLogOptions } from '../../lambdas/platform/metric-log.ts'

type Directive = {
  Namespace: string
  Dimensions: MetricDimension[][]
  Metrics: { Name: string; Unit: string }[]
}

/** A line as it reached the log. */
export type WrittenLine = Record<string, unknown> & {
  event: string
  _aws?: { Timestamp: number; CloudWatchMetrics: Directive[] }
}

const NOW = 1_773_342_238_000

/** What the log writes for these lines, one object a line. */
export function writtenFor(
  lines: readonly LogEvent[],
  chains: Readonly<Record<string, string>> = { 'gpt-4o': 'openai/gpt-4o' },
  options: Partial<Pick<MetricLogOptions, 'level' | 'mostSets' | 'now'>> = {},
): WrittenLine[] {
  const written: string[] = []
  const log = createMetricLog({
    chains: new Map(Object.entries(chains)),
    now: () => NOW,
    mostSets: () => 300,
    write: text => void written.push(text),
    ...options,
  })
  for (const line of lines) log(line)
  return written.map(text => {
    expect(text).toMatch(/^[^\n]+\n$/)
    return JSON.parse(text) as WrittenLine
  })
}

const measured = (line: WrittenLine, directive: Directive): string[] =>
  directive.Metrics.flatMap(({ Name, Unit }) =>
    directive.Dimensions.map(set => {
      const where = set.map(name => `${name}=${String(line[name])}`).join(', ')
      return `${Name}{${where}} ${String(line[Name])} ${Unit}`
    }),
  )

/** What CloudWatch makes of these lines: `Fallbacks{model=gpt-4o} 1 Count`, one text a metric and set. */
export const countedIn = (lines: readonly WrittenLine[]): string[] =>
  lines.flatMap(line => (line._aws?.CloudWatchMetrics ?? []).flatMap(directive => measured(line, directive)))
