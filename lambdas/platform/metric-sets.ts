import { METRICS, metricSets, type MetricDimension, type MetricLevel, type MetricName } from '../contract.ts'

/** What one instance has counted: each metric under each combination of values is one set, and billed as one. */
export type MetricSets = {
  readonly level: MetricLevel
  /**
   * Whether a metric may count under these values: they are known, there is room for one more set, or an alarm reads
   * it. That one takes room too, so that others yield; the configuration bounds how many models there are.
   */
  admits(name: MetricName, values: readonly string[]): boolean
}

/** What stands for all values beyond the limit. */
export const OTHER = 'other'

const isMetricName = (name: string): name is MetricName => Object.hasOwn(METRICS, name)
export const METRIC_NAMES: readonly MetricName[] = Object.keys(METRICS).filter(isMetricName)

const isAlarmed = (name: MetricName): boolean => 'alarmed' in METRICS[name]

/** The sets that need no room: those without dimensions, and one of each kind under `other`. */
const alwaysWritten = (level: MetricLevel): number =>
  METRIC_NAMES.reduce((sum, name) => sum + metricSets(name, level).length, 0)

/** @param most how many sets an instance may write, as it is in force now */
export function createMetricSets(level: MetricLevel, most: () => number): MetricSets {
  const known = new Set<string>()
  const always = alwaysWritten(level)
  return {
    level,
    admits(name, values) {
      const set = JSON.stringify([name, ...values])
      if (known.has(set)) return true
      if (!isAlarmed(name) && known.size + always >= most()) return false
      known.add(set)
      return true
    },
  }
}

/** The values of a set of dimensions; null where one of them is missing. */
export function valuesOf(
  set: readonly MetricDimension[],
  dimensions: { readonly [Name in MetricDimension]?: string },
): readonly string[] | null {
  const values = set.flatMap(name => dimensions[name] ?? [])
  return values.length === set.length ? values : null
}
