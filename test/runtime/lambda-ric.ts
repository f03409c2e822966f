import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(
  new URL('../../.backstop/lambda-ric/node_modules/aws-lambda-ric', import.meta.url),
)

/** Where Lambda's runtime client begins. */
export const LAMBDA_RIC = `${FOLDER}/index.mjs`

/**
 * What keeps Lambda's runtime client from running here, with what to do about it; null = nothing. On CI its absence is
 * no excuse: the start fails, and with it the tests.
 */
export function missingForLambdaRic(): string | null {
  if (existsSync(`${FOLDER}/rapid-client.node`) || process.env['CI'] === 'true') return null
  return "Lambda's runtime client is missing; compile it with: npm run lambda-ric"
}
