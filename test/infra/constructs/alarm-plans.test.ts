import { App, Stack } from 'aws-cdk-lib'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { expect, test } from 'vitest'
import { alarmPlans } from '../../../infra/constructs/alarm-plans.ts'
import { gatewayMetrics } from '../../../infra/constructs/gateway-metrics.ts'
import {
  ALARM_THRESHOLDS,
  THRESHOLD_NAMES,
  thresholdsWith,
} from '../../../lambdas/config/schema/alarm-thresholds.ts'

/** The thresholds that the alarms of a level use. */
function usedBy(level: 'all' | 'essential'): readonly string[] {
  const used = new Set<string>()
  const thresholds = new Proxy(thresholdsWith({}), {
    get: (all, name) => {
      used.add(String(name))
      return Reflect.get(all, name) as unknown
    },
  })
  const arn = 'arn:aws:lambda:eu-central-1:123456789012:function:any'
  const any = LambdaFunction.fromFunctionArn(new Stack(new App()), 'Any', arn)
  const functions = { gateway: any, probe: any, canary: any }
  alarmPlans({ level, thresholds, aliases: ['chat'], ...functions, metrics: gatewayMetrics('Any', 'all') })
  return [...used].toSorted()
}

test('every threshold has an alarm, at the levels that are said of it', () => {
  expect(usedBy('all')).toEqual(THRESHOLD_NAMES.toSorted())
  const essential = THRESHOLD_NAMES.filter(name => ALARM_THRESHOLDS[name].essential)
  expect(usedBy('essential')).toEqual(essential.toSorted())
})
