import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { failureOf } from '../../core/build.ts'

/** The model is not there: proves the endpoint dead. */
export const modelGone = (): Failure =>
  failureOf({
    class: 'fatal',
    kind: 'model_not_found',
    scope: 'model',
    structural: true,
    status: 404,
    message: 'The model does not exist.',
  })

/** Nothing listens at the host. */
export const refusedConnection = (): Failure =>
  failureOf({
    class: 'fatal',
    kind: 'network',
    scope: 'endpoint',
    structural: true,
    status: null,
    code: 'ECONNREFUSED',
    message: 'connect ECONNREFUSED',
  })
