/**
 * List prices of us-east-1 in dollars, without free tiers: of Lambda and Fargate on arm64, of DynamoDB on demand. As AWS
 * published them in November 2025 on https://aws.amazon.com/<service>/pricing/ (lambda, dynamodb, cloudwatch,
 * secrets-manager, eventbridge, kms, fargate, elasticloadbalancing, vpc, and ec2 for the traffic).
 */
export const PRICES = {
  gigabyteSecond: 0.000_013_333_4,
  millionInvocations: 0.2,
  millionReadUnits: 0.125,
  millionWriteUnits: 0.625,
  logGigabyte: 0.5,
  metricMonth: 0.3,
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
  secretMonth: 0.4,
  secretReads10k: 0.05,
  millionSchedules: 1,
  gigabyteToInternet: 0.09,
  fargateCpuHour: 0.032_38,
  fargateGigabyteHour: 0.003_56,
  loadBalancerHour: 0.022_5,
  addressHour: 0.005,
} as const

export const PRICES_OF = 'November 2025'

/** CloudWatch gives each account so many dashboards for nothing. */
export const FREE_DASHBOARDS = 3

export const HOURS = 720
export const MINUTES = HOURS * 60
export const SECONDS = MINUTES * 60
export const GIGABYTE = 1e9
