import config from '#gateway-config'
import { clientProof } from './compose/client-proof.ts'
import { composeCanary } from './compose/canary.ts'
import { canaryModel } from './compose/canary-model.ts'
import { readEnvironment } from './config/environment.ts'
import { ENVIRONMENT } from './contract.ts'

const environment = readEnvironment([])
const { url } = environment
const model = canaryModel(config)
if (url === null || model === null)
  throw new Error(
    `The function needs ${ENVIRONMENT.url}, which the stack sets, and a model that answers chats.`,
  )

/** The deployable: one request through the URL each time the schedule calls. */
export const { handler } = composeCanary({ url, model, proofOf: clientProof(environment) })
