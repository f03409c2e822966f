import { Annotations, Stack, type StackProps, Tags } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { configWarnings } from '../lambdas/config/config-warnings.ts'
import type { GatewayConfig } from '../lambdas/config/gateway-config.ts'
import { metricNamespaceOf } from '../lambdas/contract.ts'
import { GatewayAlarms } from './constructs/gateway-alarms.ts'
import { GatewayDashboard } from './constructs/gateway-dashboard.ts'
import { GatewayFunction } from './constructs/gateway-function.ts'
import { GatewaySecret } from './constructs/gateway-secret.ts'
import { ProbeSchedule } from './constructs/probe-schedule.ts'
import { addStackOutputs } from './constructs/stack-outputs.ts'
import { StateTable } from './constructs/state-table.ts'
import { WidgetFunction } from './constructs/widget-function.ts'

export type GatewayStackProps = StackProps & {
  stage: string
  /** Validated. */
  config: GatewayConfig
}

/** One gateway: everything of one stage. Composes; what there is stands in `constructs/`. */
export class GatewayStack extends Stack {
  constructor(scope: Construct, id: string, { stage, config, ...props }: GatewayStackProps) {
    super(scope, id, props)
    const { deletionProtection = false } = config.deploy ?? {}
    const { table } = new StateTable(this, 'State', { deletionProtection })
    const { secret } = new GatewaySecret(this, 'Keys')
    const metricNamespace = metricNamespaceOf(stage)
    const fleet = { config, table, secret, metricNamespace }
    const { handler: gateway, url } = new GatewayFunction(this, 'Gateway', fleet)
    const { handler: probe } = new ProbeSchedule(this, 'Probe', fleet)
    const { handler: widget } = new WidgetFunction(this, 'Widget', fleet)
    // Dashboards have one list for all regions of an account.
    const dashboardName = `${this.stackName}-${this.region}`
    new GatewayDashboard(this, 'Dashboard', {
      name: dashboardName,
      config,
      gateway,
      probe,
      widget,
      table,
      metricNamespace,
    })
    new GatewayAlarms(this, 'Alarms', { config, gateway, probe, metricNamespace })
    addStackOutputs(this, { config, url, secret, table, gateway, probe, dashboardName })
    for (const warning of configWarnings(config))
      Annotations.of(this).addWarningV2('backstop:configuration', warning)
    Tags.of(this).add('application', 'backstop')
    Tags.of(this).add('stage', stage)
  }
}
