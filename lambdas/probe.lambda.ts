import { lambdaOptions } from './compose/lambda.ts'
import { composeProbe } from './compose/probe.ts'

/** The deployable: one probe pass each time the schedule calls. */
export const { handler } = composeProbe(lambdaOptions())
