import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { Construct } from 'constructs'

export type GatewayBudgetProps = {
  dollarsPerMonth: number
  email: string
  /** The tags that tell this gateway's costs from all others; one at least. */
  tags: Readonly<Record<string, string>>
}

/** Sends an e-mail when a month's costs exceed most of the budget, all of it, or are going to. */
export class GatewayBudget extends Construct {
  constructor(scope: Construct, id: string, { dollarsPerMonth, email, tags }: GatewayBudgetProps) {
    super(scope, id)
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: {
        notificationType,
        threshold,
        thresholdType: 'PERCENTAGE',
        comparisonOperator: 'GREATER_THAN',
      },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })
    const filters = Object.entries(tags).map(([key, value]) => ({
      tags: { key, values: [value], matchOptions: ['EQUALS'] },
    }))
    const [only, ...others] = filters
    void new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollarsPerMonth, unit: 'USD' },
        metrics: ['UnblendedCost'],
        // A conjunction of one is refused.
        filterExpression: only && others.length === 0 ? only : { and: filters },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('ACTUAL', 100), notify('FORECASTED', 100)],
    })
  }
}
