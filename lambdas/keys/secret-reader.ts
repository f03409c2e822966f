import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { SdkAccess } from '../config/sdk-access.ts'

const CONNECTION_MS = 1_000
const REQUEST_MS = 2_000

/** Reads the text of a secret, as it is now. The client is made when it is first needed: not every caller is. */
export function createSecretReader(name: string, access: SdkAccess): () => Promise<string> {
  let client: SecretsManagerClient | null = null
  return async () => {
    client ??= new SecretsManagerClient({
      ...access,
      maxAttempts: 2,
      requestHandler: {
        connectionTimeout: CONNECTION_MS,
        requestTimeout: REQUEST_MS,
        // Without it the SDK only warns.
        throwOnRequestTimeout: true,
        socketTimeout: REQUEST_MS,
      },
    })
    const { SecretString = '' } = await client.send(
      new GetSecretValueCommand({ SecretId: name, VersionStage: 'AWSCURRENT' }),
    )
    return SecretString
  }
}
