import type { Agent } from 'node:https'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import type { AwsKeys } from '../../../lambdas/providers/sign-aws-call.ts'
import { readProxies } from '../../../lambdas/config/read-proxies.ts'
import { createAgents } from '../../../lambdas/engine/request/upstream/call-upstream.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { awsError } from './aws-error.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { FleetChoice } from './fleet-options.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** What every client of the AWS SDK is made with. Endpoints of `AWS_ENDPOINT_URL` the SDK finds by itself. */
export type AwsSession = {
  region: string
  profile?: string
  credentials: () => Promise<AwsKeys>
  maxAttempts: number
  requestHandler: {
    connectionTimeout: number
    requestTimeout: number
    throwOnRequestTimeout: boolean
    /** Absent = no proxy is set. */
    httpsAgent?: Agent
  }
}

const LIMITS = { connectionTimeout: 5_000, requestTimeout: 20_000, throwOnRequestTimeout: true }

/** Finds region and credentials where the AWS CLI would. Throws a CommandError where there are none. */
export async function openAwsSession(
  { profile, region }: Pick<FleetChoice, 'profile' | 'region'>,
  variables: Variables,
): Promise<AwsSession> {
  // The SDK looks for endpoint_url in the profile that the environment names, whatever its clients are told.
  if (profile !== undefined) process.env['AWS_PROFILE'] = profile
  // The SDK for JavaScript does not know the second one, which the AWS CLI does.
  const named = region ?? (variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || undefined)
  const { proxyFor } = readProxies(variables)
  const requestHandler = {
    ...LIMITS,
    ...(proxyFor && { httpsAgent: createAgents(systemClock, proxyFor).https }),
  }
  const probe = new CloudFormationClient({
    requestHandler,
    ...(named !== undefined && { region: named }),
    ...(profile !== undefined && { profile }),
  })
  try {
    const found = await regionOf(probe)
    await probe.config.credentials().catch(error => {
      throw awsError(error, { what: 'finding credentials', region: found, profile })
    })
    return {
      region: found,
      ...(profile !== undefined && { profile }),
      credentials: async () => probe.config.credentials(),
      maxAttempts: 3,
      requestHandler,
    }
  } finally {
    probe.destroy()
  }
}

async function regionOf({ config }: CloudFormationClient): Promise<string> {
  try {
    return await config.region()
  } catch (error) {
    throw new CommandError('No AWS region is set. Use --region NAME or set AWS_REGION.', { cause: error })
  }
}
