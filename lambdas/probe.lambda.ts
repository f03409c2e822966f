import { lambdaOptions } from './compose/lambda.ts'
import { composeProbe } from './compose/probe.ts'
import { PATIENT_LIMITS } from './store/dynamo-client.ts'

/** The deployable: one probe pass each time the schedule calls. */
export const { handler } = composeProbe(lambdaOptions({ tableLimits: PATIENT_LIMITS }))
