import type { Template } from 'aws-cdk-lib/assertions'
import { evaluateExpression } from './metric-expression.ts'
import { metricKey, type MetricArchive, type Statistic } from './metric-archive.ts'

type Dimension = { Name: string; Value: string | { Ref: string } }
type MetricStat = {
  Metric: { Namespace: string; MetricName: string; Dimensions?: Dimension[] }
  Period: number
  Stat: Statistic
}

export type AlarmDefinition = {
  Metrics?: { Id: string; Expression?: string; MetricStat?: MetricStat; ReturnData?: boolean }[]
  Namespace?: string
  MetricName?: string
  Dimensions?: Dimension[]
  Statistic?: Statistic
  Period?: number
  EvaluationPeriods: number
  DatapointsToAlarm?: number
  Threshold: number
  ComparisonOperator: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold'
  TreatMissingData: 'notBreaching' | 'missing'
  AlarmActions: unknown[]
  InsufficientDataActions?: unknown[]
}

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'

/** By its id in the code, such as `AliasOut-chat`. */
export const alarmsOf = (template: Template): ReadonlyMap<string, AlarmDefinition> =>
  new Map(
    Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [
      id.replace(/^Alarms/, '').replace(/[0-9A-F]{8}$/, ''),
      Properties as AlarmDefinition,
    ]),
  )

/** The functions of the stack by the names that the archive knows them by. */
const functionName = (value: Dimension['Value']): string =>
  typeof value === 'string' ? value : value.Ref.replace(/[0-9A-F]{8}$/, '').toLowerCase()

const keyOf = ({ Namespace, MetricName, Dimensions = [] }: MetricStat['Metric']): string =>
  metricKey(
    Namespace,
    MetricName,
    Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, functionName(Value)])),
  )

function statOf({
  Namespace = '',
  MetricName = '',
  Dimensions = [],
  Statistic: stat,
  Period,
}: AlarmDefinition) {
  return {
    Metric: { Namespace, MetricName, Dimensions },
    Stat: stat ?? 'Sum',
    Period: Period ?? 300,
  } as const
}

/** The alarm's own value in one period; null = no data. */
function valueAt(alarm: AlarmDefinition, archive: MetricArchive, from: number): number | null {
  const read = ({ Metric, Stat, Period }: MetricStat): number | null =>
    archive.statistic(keyOf(Metric), Stat, from, Period * 1_000)
  if (!alarm.Metrics) return read(statOf(alarm))
  const values = Object.fromEntries(
    alarm.Metrics.flatMap(({ Id, MetricStat }) => (MetricStat ? [[Id, read(MetricStat)] as const] : [])),
  )
  const shown = alarm.Metrics.find(({ Expression }) => Expression !== undefined)
  return evaluateExpression(shown?.Expression ?? '', values)
}

export const periodMsOf = (alarm: AlarmDefinition): number =>
  1_000 * (alarm.Period ?? alarm.Metrics?.find(({ MetricStat }) => MetricStat)?.MetricStat?.Period ?? 300)

/** CloudWatch looks at somewhat more than it evaluates: real data counts before what is missing. */
const FURTHER_PERIODS = 2

/**
 * The state after the period that ended then: so many of the latest periods must breach (M of N).
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
function stateAt(alarm: AlarmDefinition, archive: MetricArchive, endedAt: number): AlarmState {
  const { EvaluationPeriods: periods, DatapointsToAlarm: needed = periods, Threshold } = alarm
  const periodMs = periodMsOf(alarm)
  const range = Array.from({ length: periods + FURTHER_PERIODS }, (_, back) =>
    valueAt(alarm, archive, endedAt - (back + 1) * periodMs),
  )
  const breaches = (value: number): boolean =>
    alarm.ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold
  const real = range.filter(value => value !== null)
  if (real.length === 0 && alarm.TreatMissingData === 'missing') return 'INSUFFICIENT_DATA'
  const judged = real.length >= periods ? real.slice(0, periods) : range.slice(0, periods)
  return judged.filter(value => value !== null && breaches(value)).length >= needed ? 'ALARM' : 'OK'
}

/** How often an alarm told somebody of trouble between these two instants: once each time that it changed to it. */
export function timesRung(
  alarm: AlarmDefinition,
  archive: MetricArchive,
  { from, until }: { from: number; until: number },
): number {
  const ringsIn = (state: AlarmState): boolean =>
    (state === 'ALARM' && alarm.AlarmActions.length > 0) ||
    (state === 'INSUFFICIENT_DATA' && (alarm.InsufficientDataActions ?? []).length > 0)
  const stepMs = Math.min(periodMsOf(alarm), 300_000)
  // As every alarm begins, before it has looked at anything.
  let state: AlarmState = 'INSUFFICIENT_DATA'
  let rung = 0
  for (let at = from; at <= until; at += stepMs) {
    const next = stateAt(alarm, archive, at)
    if (next !== state && ringsIn(next)) rung += 1
    state = next
  }
  return rung
}
