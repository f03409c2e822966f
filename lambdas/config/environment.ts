import { ENVIRONMENT, METRIC_NAMESPACE } from '../contract.ts'
import type { ProxyFor } from '../core/http-proxy.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { TracingOptions } from '../core/tracing/tracing-options.ts'
import { readKeys, readProviderKeys } from './read-keys.ts'
import { sdkAccess, type AwsService, type SdkAccess } from './sdk-access.ts'
import { passesTraces, readTracing } from './read-tracing.ts'
import { readProxies } from './read-proxies.ts'
import { SETTING_NAMES, describeSetting, parseSetting } from '../core/settings/setting-values.ts'

/** Where the environment names none, as on a machine without AWS. */
export const DEFAULT_REGION = 'us-east-1'

/** What the process was told by its environment. */
export type Environment = {
  /** The keys of each provider that has any, in the order in which they are used. */
  providerKeys: ReadonlyMap<string, readonly string[]>
  /** Empty = none set. */
  clientKeys: readonly string[]
  settings: Partial<Settings>
  /** The name of the fleet's table; null where the platform gives none. */
  table: string | null
  /** The name of the secret that holds all keys in AWS; null elsewhere. */
  secret: string | null
  /** The name of the stack that this function is part of; null elsewhere. */
  stack: string | null
  /** Where this stage's metrics stand in CloudWatch. */
  metricNamespace: string
  /** The gateway's address, which ends in a slash, where the stack tells it; null elsewhere. */
  url: string | null
  aws: AwsIdentity
  /** What the SDK's client of a service needs to know. */
  sdkAccess(service: AwsService): SdkAccess
  /** Where traces go; null = nothing is recorded. */
  tracing: TracingOptions | null
  /** The traces of clients are continued, and passed on to upstreams. */
  passesTraces: boolean
  /** Null = every host is called directly. */
  proxyFor: ProxyFor | null
  /** What is not wrong, but good to know where calls fail; for people. */
  notices: readonly string[]
  /** For people; never with a key in them. */
  warnings: readonly string[]
}

/** Who this process is in AWS, and where. */
export type AwsIdentity = {
  region: string
  /** Null where the environment holds none: profiles and files are left alone, because calls in their name cost money. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null
}

type Variables = { readonly [name: string]: string | undefined }

/** Reads `<PROVIDER>_API_KEY`, `BACKSTOP_CLIENT_KEYS` and every setting by its name in capitals. */
export function readEnvironment(providerIds: Iterable<string>, env: Variables = process.env): Environment {
  const read = [...providerIds].map(id => [id, readProviderKeys(id, env)] as const)
  const clients = readKeys('BACKSTOP_CLIENT_KEYS', env)
  const { settings, warnings } = readSettings(env)
  const traced = readTracing(env)
  const aws = readAws(env)
  const proxies = readProxies(env)
  return {
    providerKeys: new Map(read.flatMap(([id, { keys }]) => (keys.length > 0 ? [[id, keys] as const] : []))),
    clientKeys: clients.keys,
    table: env[ENVIRONMENT.table] || null,
    secret: env[ENVIRONMENT.secret] || null,
    stack: env[ENVIRONMENT.stack] || null,
    metricNamespace: env[ENVIRONMENT.metricNamespace] || METRIC_NAMESPACE,
    url: env[ENVIRONMENT.url] || null,
    aws,
    sdkAccess: service => sdkAccess(service, aws, env),
    tracing: traced.tracing,
    passesTraces: passesTraces(env),
    settings,
    proxyFor: proxies.proxyFor,
    notices: proxies.notices,
    warnings: [
      ...read.flatMap(([, found]) => found.warnings),
      ...clients.warnings,
      ...warnings,
      ...traced.warnings,
      ...proxies.warnings,
    ],
  }
}

function readAws(env: Variables): AwsIdentity {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  const { AWS_SESSION_TOKEN: sessionToken } = env
  return {
    region: env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || DEFAULT_REGION,
    credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
        : null,
  }
}

function readSettings(env: Variables): Pick<Environment, 'settings' | 'warnings'> {
  const settings: Record<string, string | number | boolean> = {}
  const warnings: string[] = []
  for (const name of SETTING_NAMES) {
    const variable = name.toUpperCase()
    const text = env[variable]?.trim() ?? ''
    if (text === '') continue
    const value = parseSetting(name, text)
    if (value !== undefined) settings[name] = value
    else warnings.push(`${variable} is ignored: expected ${describeSetting(name)}.`)
  }
  return { settings: settings as Partial<Settings>, warnings }
}
