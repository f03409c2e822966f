import type { Readable } from 'node:stream'
import type { AwsIdentity } from './environment.ts'

type Variables = { readonly [name: string]: string | undefined }

/** As the variables that say where AWS is name the services. */
export type AwsService = 'DYNAMODB' | 'SECRETS_MANAGER'

const isSet = (variable: string | undefined): boolean => variable?.toLowerCase() === 'true'

/** What the SDK does by itself, but for streams of the web, for the sake of which Node would load all about them. */
async function collect(stream: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/**
 * All that a client of the SDK would otherwise look for in the files of a home that a function does not have: for each
 * client that is made, and for the endpoint at each call.
 */
export function sdkAccess(service: AwsService, { region, credentials }: AwsIdentity, env: Variables) {
  const endpoint = env[`AWS_ENDPOINT_URL_${service}`] || env['AWS_ENDPOINT_URL']
  return {
    region,
    // A role's are those of the environment for as long as an instance lives.
    ...(credentials && { credentials }),
    ...(endpoint && { endpoint }),
    ignoreConfiguredEndpointUrls: true,
    useFipsEndpoint: isSet(env['AWS_USE_FIPS_ENDPOINT']),
    useDualstackEndpoint: isSet(env['AWS_USE_DUALSTACK_ENDPOINT']),
    accountIdEndpointMode: 'disabled' as const,
    authSchemePreference: [],
    retryMode: 'standard',
    disableClockSkewCorrection: isSet(env['AWS_DISABLE_CLOCK_SKEW_CORRECTION']),
    userAgentAppId: () => Promise.resolve(undefined),
    endpointDiscoveryEnabledProvider: () => Promise.resolve(undefined),
    streamCollector: collect,
  }
}

export type SdkAccess = ReturnType<typeof sdkAccess>
