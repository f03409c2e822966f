import { expect } from 'vitest'
import { GatewayError } from '../../lambdas/core/routing/gateway-error.ts'

/** The refusal that an action throws; fails the test where it throws none, or anything else. */
export function refusalOf(action: () => unknown): GatewayError {
  try {
    action()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  return expect.fail('nothing was refused')
}

/** The same for what rejects. */
export async function rejectionOf(refused: Promise<unknown>): Promise<GatewayError> {
  const outcome = await refused.then(
    () => null,
    (error: unknown) => error,
  )
  return refusalOf(() => {
    if (outcome) throw outcome
  })
}
