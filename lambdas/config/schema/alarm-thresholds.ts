import { recordOf } from '../../core/record-of.ts'

type Threshold = {
  usual: number
  /** Whether its alarm is there with `essential` too. */
  essential: boolean
}

/** When the alarms go off, unless the configuration says otherwise: numbers of requests, tokens and errors, and a share of 100 requests. */
export const ALARM_THRESHOLDS = {
  failedRequests: { usual: 4, essential: true },
  errorShare: { usual: 10, essential: true },
  crashes: { usual: 1, essential: true },
  throttles: { usual: 5, essential: true },
  retryTokensADay: { usual: 10_000_000, essential: false },
  stateErrors: { usual: 5, essential: false },
  probeErrors: { usual: 2, essential: false },
  canaryFailures: { usual: 2, essential: true },
} as const satisfies Record<string, Threshold>

export type ThresholdName = keyof typeof ALARM_THRESHOLDS
export type AlarmThresholds = { readonly [Name in ThresholdName]: number }

export const isThreshold = (name: string): name is ThresholdName => Object.hasOwn(ALARM_THRESHOLDS, name)
export const THRESHOLD_NAMES: readonly ThresholdName[] = Object.keys(ALARM_THRESHOLDS).filter(isThreshold)

/** With what is not stated as it usually is. */
export const thresholdsWith = (stated: {
  readonly [Name in ThresholdName]?: number | undefined
}): AlarmThresholds => recordOf(THRESHOLD_NAMES, name => stated[name] ?? ALARM_THRESHOLDS[name].usual)
