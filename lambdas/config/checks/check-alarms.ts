import { ALARM_THRESHOLDS, isThreshold } from '../schema/alarm-thresholds.ts'
import type { ConfigProblem } from '../config-error.ts'
import { entriesOf, field } from './read-loosely.ts'

/** What the options of the alarms say of each other, and of the metrics, the canary and the budget. */
export function checkAlarms(deploy: unknown): ConfigProblem[] {
  const alarms = field(deploy, 'alarms')
  const level = typeof alarms === 'string' ? alarms : field(alarms, 'level')
  const metrics = field(deploy, 'metrics')
  return [
    ...checkLevel(level, metrics),
    ...checkThresholds(deploy, level ?? metrics),
    ...(level === 'none' ? checkReceivers(deploy) : checkTopic(deploy)),
  ]
}

const checkLevel = (level: unknown, metrics: unknown): ConfigProblem[] =>
  level === 'all' && metrics === 'essential'
    ? [
        {
          path: ['deploy', 'alarms'],
          message:
            'some alarms need metrics that are not written with deploy.metrics "essential". Set "essential" here too, or deploy.metrics to "all"',
        },
      ]
    : []

/** Thresholds that no alarm has. */
function checkThresholds(deploy: unknown, level: unknown): ConfigProblem[] {
  const hasCanary = (field(deploy, 'canary') ?? false) !== false
  const all =
    field(deploy, 'metrics') === 'essential'
      ? 'deploy.alarms.level and deploy.metrics'
      : 'deploy.alarms.level'
  function useless(name: string): string | null {
    if (level === 'none') return 'because deploy.alarms.level is "none". Remove one of them'
    if (level === 'essential' && isThreshold(name) && !ALARM_THRESHOLDS[name].essential)
      return `because its alarm is none of the essential ones. Remove it, or set ${all} to "all"`
    return name === 'canaryFailures' && !hasCanary
      ? 'because there is no canary. Remove it, or set deploy.canary to true'
      : null
  }
  return entriesOf(field(deploy, 'alarms')).flatMap(([name, value]) => {
    const why = name === 'level' || value === undefined ? null : useless(name)
    return why === null ? [] : [{ path: ['deploy', 'alarms', name], message: `has no effect, ${why}` }]
  })
}

/** Who would be told of alarms that there are not. */
function checkReceivers(deploy: unknown): ConfigProblem[] {
  const budget = field(deploy, 'budget')
  const servesBudget = budget !== undefined && field(budget, 'email') === undefined
  return ['alarmEmail', 'alarmTopicArn'].flatMap(name =>
    field(deploy, name) === undefined || (name === 'alarmEmail' && servesBudget)
      ? []
      : [
          {
            path: ['deploy', name],
            message: 'has no effect, because deploy.alarms is "none". Remove one of them',
          },
        ],
  )
}

/** A message to a FIFO topic needs a group, which CloudWatch does not send. */
function checkTopic(deploy: unknown): ConfigProblem[] {
  const topic = field(deploy, 'alarmTopicArn')
  return typeof topic === 'string' && topic.endsWith('.fifo')
    ? [
        {
          path: ['deploy', 'alarmTopicArn'],
          message: 'CloudWatch cannot publish alarms to a FIFO topic. Name a standard topic',
        },
      ]
    : []
}
