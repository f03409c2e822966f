import type { WrittenLine } from '../../platform/written-lines.ts'

export type Statistic = 'Sum' | 'SampleCount' | 'Maximum' | 'Minimum' | 'Average'

/** `Lambda Errors {FunctionName=probe}`: one text for each metric as CloudWatch tells them apart. */
export const metricKey = (
  namespace: string,
  name: string,
  dimensions: Readonly<Record<string, string>>,
): string => JSON.stringify([namespace, name, Object.entries(dimensions).toSorted()])

/** What CloudWatch keeps of metrics. */
export type MetricArchive = {
  add(key: string, value: number, at: number): void
  /** What the embedded metrics of a line add up to. */
  take(line: WrittenLine): void
  /** Null where no value came in the period that begins then; milliseconds. */
  statistic(key: string, statistic: Statistic, from: number, periodMs: number): number | null
}

const STATISTICS: Readonly<Record<Statistic, (values: readonly number[]) => number>> = {
  Sum: values => values.reduce((sum, value) => sum + value, 0),
  SampleCount: values => values.length,
  Maximum: values => Math.max(...values),
  Minimum: values => Math.min(...values),
  Average: values => values.reduce((sum, value) => sum + value, 0) / values.length,
}

export function createMetricArchive(): MetricArchive {
  const kept = new Map<string, { at: number; value: number }[]>()
  const add: MetricArchive['add'] = (key, value, at) => {
    const values = kept.get(key) ?? []
    values.push({ value, at })
    kept.set(key, values)
  }
  return {
    add,
    take(line) {
      for (const { Namespace, Dimensions, Metrics } of line._aws?.CloudWatchMetrics ?? []) {
        for (const { Name } of Metrics) {
          for (const set of Dimensions) {
            const dimensions = Object.fromEntries(set.map(name => [name, String(line[name])]))
            add(metricKey(Namespace, Name, dimensions), Number(line[Name]), line._aws?.Timestamp ?? 0)
          }
        }
      }
    },
    statistic(key, statistic, from, periodMs) {
      const values = (kept.get(key) ?? []).flatMap(({ at, value }) =>
        at >= from && at < from + periodMs ? [value] : [],
      )
      return values.length === 0 ? null : STATISTICS[statistic](values)
    },
  }
}
