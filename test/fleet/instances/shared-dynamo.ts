import { startEmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import { missingForDynamoDbLocal, startDynamoDbLocal } from '../../support/tables/dynamodb-local.ts'

const isMissing = missingForDynamoDbLocal() !== null

/** What plays the fleet's table here: Amazon's own where it is installed. */
export const DYNAMO_NAME = isMissing ? 'dynalite' : 'DynamoDB Local'

/** Starts a DynamoDB that several gateways can share, with an empty memory. */
export const startSharedDynamo = () => (isMissing ? startEmbeddedDynamo() : startDynamoDbLocal())
