import type { Environment } from '../config/environment.ts'
import { ENVIRONMENT } from '../contract.ts'
import { createSecretReader } from '../keys/secret-reader.ts'
import { parseSecret } from '../keys/secret.ts'
import { systemClock } from '../platform/clock.ts'
import { signAwsCall } from '../providers/sign-aws-call.ts'
import type { ProofOf } from './canary.ts'

/** The headers by which the stack's URL lets a function in: a client key, or the signature of the function's role. */
export function clientProof(environment: Environment): ProofOf {
  const { secret, aws } = environment
  if (secret !== null)
    return withClientKey(createSecretReader(secret, environment.sdkAccess('SECRETS_MANAGER')))
  return async ({ url, headers, body }) => {
    if (aws.credentials === null)
      throw new Error(`The function has neither ${ENVIRONMENT.secret} nor credentials of a role.`)
    const call = { service: 'lambda', region: aws.region, method: 'POST', url, headers, body }
    return signAwsCall({ ...call, at: systemClock.now() }, aws.credentials)
  }
}

const withClientKey =
  (readSecret: () => Promise<string>): ProofOf =>
  async () => {
    // Read anew each time: once an hour, a key that was kept would be an old one.
    const [first] = parseSecret(await readSecret()).secret.clients
    if (first === undefined) throw new Error('The secret holds no client key.')
    const [, key] = first
    return { authorization: `Bearer ${key}` }
  }
