import { startEmbeddedDynamo } from '../../../../infra/local/table/dynamo.ts'

// In a process of its own, as in AWS: its work is no work of the gateway.
const { endpoint } = await startEmbeddedDynamo()
process.send?.({ ready: endpoint })
