import { thresholdsWith, type AlarmThresholds } from '../../lambdas/config/schema/alarm-thresholds.ts'
import type { DeployConfig } from '../../lambdas/config/gateway-config.ts'

export type AlarmLevel = 'all' | 'essential' | 'none'

/** Which alarms there are, and when they go off. Without a word of their own, there are as many as there are metrics. */
export function alarmOptions({ alarms = {}, metrics = 'all' }: DeployConfig): {
  level: AlarmLevel
  thresholds: AlarmThresholds
} {
  const { level = metrics, ...stated } = typeof alarms === 'string' ? { level: alarms } : alarms
  return { level, thresholds: thresholdsWith(stated) }
}
