import type { Template } from 'aws-cdk-lib/assertions'
import type { ProbeFigures } from './measure-bill.ts'
import { GIGABYTE, MINUTES, PRICES } from './prices.ts'

/** One row of a bill: what, how it was computed, and dollars. */
export type BillRow = { item: string; arithmetic: string; dollars: number }

/** What stands in a template and costs something while nobody uses it. */
export type StackFigures = {
  alarms: number
  alarmMetrics: number
  dashboards: number
  secrets: number
  probeRuns: number
  probeMb: number
  customKeys: number
}

type Resource = { Properties?: Record<string, unknown> }

/** How often a month a schedule calls. */
function callsOf(expression: unknown): number {
  const [, every = '1', unit = ''] = /^rate\((\d+) (\w+?)s?\)$/.exec(String(expression)) ?? []
  const minutes: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1_440 }
  return MINUTES / (Number(every) * (minutes[unit] ?? Number.NaN))
}

/** Counts what is billed by the month in a synthesised stack. */
export function stackFigures(template: Template): StackFigures {
  const found = (type: string): Resource[] => Object.values(template.findResources(type)) as Resource[]
  const alarms = found('AWS::CloudWatch::Alarm')
  const metricsOf = ({ Properties }: Resource): number => {
    const metrics = Properties?.['Metrics'] as { MetricStat?: object }[] | undefined
    return metrics ? metrics.filter(({ MetricStat }) => MetricStat).length : 1
  }
  const probe = Object.entries(template.findResources('AWS::Lambda::Function')).find(([id]) =>
    id.startsWith('ProbeHandler'),
  )?.[1] as Resource | undefined
  return {
    alarms: alarms.length,
    alarmMetrics: alarms.reduce((sum, alarm) => sum + metricsOf(alarm), 0),
    dashboards: found('AWS::CloudWatch::Dashboard').length,
    secrets: found('AWS::SecretsManager::Secret').length,
    probeRuns: found('AWS::Scheduler::Schedule').reduce(
      (sum, { Properties }) => sum + callsOf(Properties?.['ScheduleExpression']),
      0,
    ),
    probeMb: Number(probe?.Properties?.['MemorySize']),
    customKeys: found('AWS::KMS::Key').length,
  }
}

const count = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 })

/** A month in which nobody calls; the dashboard is one of the three that each account has free. */
export function idleBill(stack: StackFigures, probe: ProbeFigures): BillRow[] {
  const { probeRuns: runs, probeMb } = stack
  const gigabytes = probeMb / 1_024
  const reads = runs * probe.secretReads
  return [
    {
      item: 'alarms',
      arithmetic: `${stack.alarmMetrics} metrics in ${stack.alarms} alarms × ${PRICES.alarmMetricMonth.toFixed(2)}`,
      dollars: stack.alarmMetrics * PRICES.alarmMetricMonth,
    },
    {
      item: 'dashboard',
      arithmetic:
        stack.dashboards === 0
          ? 'none'
          : `${stack.dashboards} of the three that an account has free; else ${PRICES.dashboardMonth.toFixed(2)}`,
      dollars: 0,
    },
    {
      item: 'secret',
      arithmetic: `${stack.secrets} × ${PRICES.secretMonth.toFixed(2)}, and ${count(reads)} reads: the probe reads keys only where there is something to probe`,
      dollars: stack.secrets * PRICES.secretMonth + (reads / 10_000) * PRICES.secretReads10k,
    },
    {
      item: 'probe function',
      arithmetic: `${count(runs)} runs × ${probe.seconds.toFixed(3)} s × ${gigabytes} GB × ${PRICES.gigabyteSecond}, and ${count(runs)} × ${PRICES.millionInvocations.toFixed(2)} / 1,000,000`,
      dollars:
        runs * probe.seconds * gigabytes * PRICES.gigabyteSecond + (runs / 1e6) * PRICES.millionInvocations,
    },
    {
      item: 'schedule',
      arithmetic: `${count(runs)} × ${PRICES.millionSchedules.toFixed(2)} / 1,000,000`,
      dollars: (runs / 1e6) * PRICES.millionSchedules,
    },
    {
      item: 'table',
      arithmetic: `${count(runs)} × ${count(probe.reads)} read units × ${PRICES.millionReadUnits} / 1,000,000`,
      dollars:
        (runs / 1e6) * (probe.reads * PRICES.millionReadUnits + probe.writes * PRICES.millionWriteUnits),
    },
    {
      item: 'logs',
      arithmetic: `${count(runs)} × ${Math.round(probe.logBytes)} bytes × ${PRICES.logGigabyte.toFixed(2)} / GB: the platform logs no run that went well`,
      dollars: ((runs * probe.logBytes) / GIGABYTE) * PRICES.logGigabyte,
    },
    {
      item: 'encryption keys',
      arithmetic: 'none: table and secret use keys that AWS does not bill',
      dollars: stack.customKeys,
    },
  ]
}

export const totalOf = (rows: readonly BillRow[]): number =>
  rows.reduce((sum, { dollars }) => sum + dollars, 0)
