import { Annotations, Fn, Tags } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { type Grant, type IGrantable, ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction, FunctionUrl } from 'aws-cdk-lib/aws-lambda'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { configWarnings } from '../lambdas/config/config-warnings.ts'
import {
  type DeployConfig,
  type GatewayConfig,
  parseGatewayConfig,
} from '../lambdas/config/gateway-config.ts'
import { OWN_TAGS } from '../lambdas/contract.ts'
import { CanarySchedule } from './constructs/canary-schedule.ts'
import { checkStage, constructNames, namespaceFor } from './constructs/construct-names.ts'
import { GatewayAlarms } from './constructs/gateway-alarms.ts'
import { GatewayBudget } from './constructs/gateway-budget.ts'
import { GatewayDashboard } from './constructs/gateway-dashboard.ts'
import { GatewayFunction } from './constructs/gateway-function.ts'
import { GatewaySecret } from './constructs/gateway-secret.ts'
import { ProbeSchedule } from './constructs/probe-schedule.ts'
import { addStackOutputs } from './constructs/stack-outputs.ts'
import { StateTable } from './constructs/state-table.ts'
import { WidgetFunction } from './constructs/widget-function.ts'

export type BackstopProps = {
  /** What `defineGateway` returns. The construct checks it, and throws what is wrong with it, in words. */
  config: GatewayConfig
  /** Becomes the tag `stage`, and a part of the metric namespace: a letter, then up to 19 letters, digits and dashes. */
  stage?: string
  /** Where the metrics stand in CloudWatch. Default: `Backstop/`, the stage, and the names of stack and construct. */
  metricNamespace?: string
}

type OwnTags = Readonly<Record<string, string>>

/** One gateway with everything it needs. A stack may hold several; what each consists of stands in `constructs/`. */
export class Backstop extends Construct {
  /** The gateway's address, which ends in a slash; the base URL of an SDK is this with `v1` appended. */
  readonly url: string
  /** The host of the address, for a distribution in front of it. */
  readonly host: string
  readonly functionUrl: FunctionUrl
  readonly gateway: LambdaFunction
  readonly probe: LambdaFunction
  /** Null where `deploy.canary` asks for none. */
  readonly canary: LambdaFunction | null
  /** The fleet's memory. Retained when the stack is deleted. */
  readonly table: Table
  /** Client and provider keys. Retained when the stack is deleted. */
  readonly secret: Secret
  /** Every alarm is published here; null where there are none. */
  readonly alarmTopic: ITopic | null
  readonly metricNamespace: string
  /** What `--stack` of the commands takes. */
  readonly stackReference: string

  constructor(scope: Construct, id: string, props: BackstopProps) {
    super(scope, id)
    const config = parseGatewayConfig(props.config)
    const names = constructNames(this)
    const { stage } = props
    if (stage !== undefined) checkStage(stage, 'Backstop: stage')
    this.stackReference = names.reference
    this.metricNamespace = namespaceFor(names, props)
    this.table = new StateTable(this, 'State', config.deploy ?? {}).table
    this.secret = new GatewaySecret(this, 'Keys').secret
    const { table, secret, metricNamespace } = this
    const fleet = { config, table, secret, metricNamespace, stack: names.reference }
    const { handler: gateway, url } = new GatewayFunction(this, 'Gateway', fleet)
    const { handler: probe } = new ProbeSchedule(this, 'Probe', fleet)
    const hasDashboard = config.deploy?.dashboard !== false
    const widget = hasDashboard ? new WidgetFunction(this, 'Widget', fleet).handler : null
    this.canary = config.deploy?.canary
      ? new CanarySchedule(this, 'Canary', { config, secret, gateway, url: url.url }).handler
      : null
    this.gateway = gateway
    this.probe = probe
    this.functionUrl = url
    this.url = url.url
    this.host = Fn.select(2, Fn.split('/', url.url))
    const watched = { config, gateway, probe, metricNamespace }
    const dashboard = { ...watched, name: names.uniqueInAccount, widget, table }
    void new GatewayDashboard(this, 'Dashboard', dashboard)
    this.alarmTopic = new GatewayAlarms(this, 'Alarms', { ...watched, canary: this.canary }).topic
    addStackOutputs(this, {
      config,
      url,
      secret,
      table,
      gateway,
      probe,
      dashboardName: hasDashboard ? names.uniqueInAccount : null,
      alarmTopicArn: this.alarmTopic?.topicArn ?? null,
      prefix: names.prefix,
    })
    for (const warning of configWarnings(config))
      Annotations.of(this).addWarningV2('backstop:configuration', warning)
    const own = {
      [OWN_TAGS.application]: 'backstop',
      ...(stage !== undefined && { [OWN_TAGS.stage]: stage }),
    }
    // Whole stacks are told apart by their stage; a tag more would change every resource of those that are deployed.
    const unique = names.prefix === '' ? {} : { [OWN_TAGS.gateway]: names.uniqueInAccount }
    this.#obeyAccount(config.deploy ?? {}, { ...own, ...unique }, names.prefix === '' ? own : unique)
  }

  /** What the configuration wants of every resource, and of what they cost together. */
  #obeyAccount(deploy: DeployConfig, own: OwnTags, budgeted: OwnTags): void {
    const { tags = {}, permissionsBoundary, budget, alarmEmail } = deploy
    for (const [key, value] of Object.entries({ ...own, ...tags })) Tags.of(this).add(key, value)
    if (permissionsBoundary !== undefined) {
      const policy = ManagedPolicy.fromManagedPolicyArn(this, 'Boundary', permissionsBoundary)
      PermissionsBoundary.of(this).apply(policy)
    }
    const email = budget?.email ?? alarmEmail
    if (budget && email !== undefined)
      void new GatewayBudget(this, 'Budget', { ...budget, email, tags: budgeted })
  }

  /** Lets an identity call the gateway where `deploy.auth` is `iam`. */
  grantInvoke(grantee: IGrantable): Grant {
    return this.gateway.grantInvokeUrl(grantee)
  }

  /** Lets an identity read the secret, for a client key of its own; it holds the keys of all clients and providers. */
  grantReadKeys(grantee: IGrantable): Grant {
    return this.secret.grantRead(grantee)
  }
}
