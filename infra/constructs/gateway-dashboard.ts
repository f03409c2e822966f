import { Duration } from 'aws-cdk-lib'
import { Dashboard, type IWidget } from 'aws-cdk-lib/aws-cloudwatch'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { entriesOfAll } from '../../lambdas/config/tiers-of.ts'
import { costWidgets, endpointsWidget, fleetWidgets } from './dashboard/fleet-widgets.ts'
import { gatewayMetrics } from './gateway-metrics.ts'
import { functionWidgets, tableWidgets, type MeteredTable } from './dashboard/platform-widgets.ts'
import { saveQueries } from './dashboard/saved-queries.ts'
import { essentialWidgets, fallbackWidgets, trafficWidgets } from './dashboard/traffic-widgets.ts'

export type GatewayDashboardProps = {
  /** Of the dashboard, and of the folder of saved queries; unique in its account and region. */
  name: string
  config: GatewayConfig
  gateway: LambdaFunction
  probe: LambdaFunction
  /** Draws the table of endpoints; null = no dashboard, only the questions. */
  widget: LambdaFunction | null
  table: MeteredTable
  metricNamespace: string
}

const hasPrices = (config: GatewayConfig): boolean =>
  entriesOfAll(config).some(entry => typeof entry === 'object' && entry.price !== undefined)

/** Everything there is to see of a gateway, the most urgent on top; and the questions to ask of its log. */
export class GatewayDashboard extends Construct {
  constructor(scope: Construct, id: string, props: GatewayDashboardProps) {
    super(scope, id)
    const { name, widget, gateway } = props
    if (widget !== null) {
      void new Dashboard(this, 'Dashboard', {
        dashboardName: name,
        defaultInterval: Duration.hours(3),
        widgets: allWidgets(props, widget),
      })
    }
    saveQueries(this, name, gateway.logGroup)
  }
}

function allWidgets(
  { config, gateway, probe, table, metricNamespace }: GatewayDashboardProps,
  widget: LambdaFunction,
): IWidget[][] {
  const level = config.deploy?.metrics ?? 'all'
  const metrics = gatewayMetrics(metricNamespace, level)
  const middle =
    level === 'all'
      ? [...trafficWidgets(metrics), ...fallbackWidgets(metrics), ...fleetWidgets(metrics, probe.logGroup)]
      : essentialWidgets(metrics)
  return [
    endpointsWidget(widget),
    ...middle,
    costWidgets(metrics, gateway.logGroup, hasPrices(config)),
    tableWidgets(table),
    functionWidgets(gateway, probe),
  ]
}
