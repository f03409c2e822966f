import type { DeployConfig } from '../../lambdas/config/gateway-config.ts'

/** When the alarms go off: numbers of requests, tokens and errors, and a share of 100 requests. */
export const ALARM_THRESHOLDS = {
  failedRequests: 4,
  errorShare: 10,
  crashes: 1,
  throttles: 5,
  retryTokensADay: 10_000_000,
  stateErrors: 5,
  probeErrors: 2,
  canaryFailures: 2,
} as const satisfies Record<string, number>

export type AlarmThresholds = { readonly [Name in keyof typeof ALARM_THRESHOLDS]: number }
export type AlarmLevel = 'all' | 'essential' | 'none'

const withoutUndefined = (stated: {
  [Name in keyof AlarmThresholds]?: number | undefined
}): Partial<AlarmThresholds> =>
  Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined))

/** Which alarms there are, and when they go off. Without a word of their own, there are as many as there are metrics. */
export function alarmOptions({ alarms = {}, metrics = 'all' }: DeployConfig): {
  level: AlarmLevel
  thresholds: AlarmThresholds
} {
  const { level = metrics, ...stated } = typeof alarms === 'string' ? { level: alarms } : alarms
  return { level, thresholds: { ...ALARM_THRESHOLDS, ...withoutUndefined(stated) } }
}
