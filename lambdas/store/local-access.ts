import type { DynamoAccess } from './dynamo-client.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/**
 * How to reach a table on this machine, for the gateway and for the commands alike: some local servers keep a
 * table apart for each region and access key. They check no credentials, but the SDK refuses to start without any.
 */
export function localAccess(endpoint: string, variables: Variables): DynamoAccess {
  const accessKeyId = variables['AWS_ACCESS_KEY_ID']
  const secretAccessKey = variables['AWS_SECRET_ACCESS_KEY']
  const sessionToken = variables['AWS_SESSION_TOKEN']
  return {
    endpoint,
    region: variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || 'us-east-1',
    credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
        : { accessKeyId: 'local', secretAccessKey: 'local' },
  }
}
