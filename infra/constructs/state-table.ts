import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { Construct } from 'constructs'

export type StateTableProps = { deletionProtection?: boolean | undefined }

/** What the fleet remembers: one on-demand table, which outlives its stack. */
export class StateTable extends Construct {
  readonly table: Table

  constructor(scope: Construct, id: string, { deletionProtection = false }: StateTableProps) {
    super(scope, id)
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiresAt',
      billingMode: BillingMode.PAY_PER_REQUEST,
      // The key of DynamoDB itself costs nothing; one in KMS is billed for each use.
      encryption: TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection,
      // No name of our own: a table that was left behind would stand in the way of the next deploy.
      // A first deploy that fails takes it along, or every attempt would leave one behind.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
  }
}
