import type { Json, JsonObject } from '../../../lambdas/core/json.ts'
import { addedBody } from '../../../lambdas/config/schema/added-schema.ts'
import type { DraftEndpoint } from '../draft.ts'
import { importedBaseUrl, type ImportedPlace } from '../providers/base-url.ts'
import { hostAt, hostNamed, hostWithin, isOwnNetwork, placeOf, refusalOf } from '../providers/find-host.ts'
import type { Host } from '../providers/hosts.ts'
import { readKeySource, type KeySource } from '../providers/key-source.ts'
import { endpointTimeouts } from '../timeouts.ts'
import { looksSecret } from '../looks-secret.ts'
import { fieldAt, numberOf, resolveText, statedFields, textOf, type Variables } from '../read-values.ts'
import type { Report } from '../report.ts'

/** A target with what it inherits from the targets around it. */
export type Target = Readonly<Record<string, unknown>>

type Context = { model: string | undefined; variables: Variables; report: Report }

/** `@openai-prod/gpt-4o`: an integration of the account, and a model of it. */
const INTEGRATION = /^@([^/]+)(?:\/(.+))?$/

type Named = { provider: string | undefined; vault: string | undefined; model: string | undefined }

/** What Azure calls the model by; the model beside it says only which one is behind it. */
function deploymentOf(target: Target): string | undefined {
  const provider = textOf(target['provider'])
  const isAzure =
    provider === undefined || provider.startsWith('@') || hostNamed(provider)?.like === 'azure-openai'
  return isAzure ? (textOf(target['azure_deployment_id']) ?? textOf(target['deployment_id'])) : undefined
}

function namesOf(target: Target, fallback: string | undefined): Named {
  const stated = textOf(fieldAt(target, 'override_params', 'model')) ?? fallback
  const deployment = deploymentOf(target)
  const inModel = INTEGRATION.exec(stated ?? '')
  const provider = textOf(target['provider'])
  const inProvider = INTEGRATION.exec(provider ?? '')
  const vault = inModel?.[1] ?? inProvider?.[1] ?? textOf(target['virtual_key'])
  return {
    provider: inProvider ? undefined : provider,
    vault,
    model: deployment ?? (inModel ? inModel[2] : stated),
  }
}

/** A target that names a provider, as an endpoint; null, with a note, where it cannot be called. */
export function readTarget(
  target: Target,
  { model: fallback, variables, report }: Context,
): DraftEndpoint | null {
  const { provider, vault, model } = namesOf(target, fallback)
  const title = textOf(target['name']) ?? [provider ?? vault, model].filter(Boolean).join('/')
  const leave = (advice: string): null => (report.add('left_out', title || 'a target', advice), null)
  const refusal = provider === undefined ? undefined : refusalOf(provider)
  if (refusal !== undefined) return leave(refusal)
  const stated = resolveText(target['custom_host'] ?? azurePlace(target), variables)
  if (stated && 'unset' in stated)
    return leave(`its custom_host is in the variable ${stated.unset}, which is not set here.`)
  const host = hostOf(provider, vault, stated?.text)
  if (host === undefined && stated === undefined) return leave(unknownHost(provider, vault))
  if (model === undefined)
    return leave('which model it calls is not said: add override_params.model, or import with --model NAME.')
  if (/\s/.test(model)) return leave(`"${model}" has spaces, which no reference can have.`)
  if (host?.like === 'bedrock' && /[*?$]/.test(model))
    return leave(`"${model}" is not the full ID of one model.`)
  const place = baseUrlOf(host, stated?.text, target, model)
  if ('problem' in place) return leave(place.problem)
  const isOwn = place.baseUrl !== null && isOwnNetwork(place.baseUrl)
  return {
    account: { host, baseUrl: place.baseUrl, key: keyOf(target, vault, isOwn && host?.like === undefined) },
    model: place.model,
    fields: { ...bodyOf(target, report, title), ...timeoutsOf(target, isOwn) },
  }
}

const unknownHost = (provider: string | undefined, vault: string | undefined): string =>
  provider === undefined && vault === undefined
    ? 'it names no provider.'
    : `which host "${provider ?? vault}" is, cannot be told. Add provider (such as "openai"), or custom_host.`

function hostOf(
  provider: string | undefined,
  vault: string | undefined,
  place: string | undefined,
): Host | undefined {
  if (provider === 'openai' && place !== undefined) return hostAt(place)
  if (provider !== undefined) return hostNamed(provider)
  if (place !== undefined && hostAt(place)) return hostAt(place)
  return vault === undefined ? undefined : hostWithin(vault)
}

/** What Portkey builds the place of an Azure resource from. */
function azurePlace(target: Target): string | undefined {
  const resource = textOf(target['azure_resource_name']) ?? textOf(target['resource_name'])
  return resource === undefined ? undefined : `https://${resource}.openai.azure.com`
}

function baseUrlOf(
  host: Host | undefined,
  stated: string | undefined,
  target: Target,
  model: string,
): ImportedPlace | { problem: string } {
  if (stated !== undefined) {
    const version = textOf(target['azure_api_version']) ?? textOf(target['api_version'])
    const found = importedBaseUrl(host, stated, { version, model })
    return 'problem' in found ? { problem: `its custom_host cannot be used: ${found.problem}.` } : found
  }
  const region = textOf(target['aws_region'])
  if (host?.like === 'bedrock' && region !== undefined) {
    const baseUrl = `https://bedrock-runtime.${region}.amazonaws.com/openai/v1`
    return URL.canParse(baseUrl) ? { baseUrl, model } : { problem: 'its aws_region is no region.' }
  }
  if (host && placeOf(host) === null)
    return { problem: 'where its account is, is not said: add custom_host.' }
  return { baseUrl: null, model }
}

function keyOf(target: Target, vault: string | undefined, isUnkeyed: boolean): KeySource {
  const key = readKeySource(target['api_key'])
  if (key.kind !== 'default') return key
  if (vault !== undefined) return { kind: 'vault', name: vault }
  return isUnkeyed ? { kind: 'none' } : key
}

function bodyOf(target: Target, report: Report, title: string): JsonObject {
  const fields = statedFields(target['override_params']).flatMap(([name, value]) => {
    if (name === 'model') return []
    const json = JSON.parse(JSON.stringify(value)) as Json
    const isFit = addedBody.safeParse({ [name]: json }).success && !looksSecret(name, json)
    if (!isFit)
      report.add(
        'no_counterpart',
        `override_params.${name}`,
        'it is the client\u2019s, or may be a key.',
        title,
      )
    else
      report.add(
        'different',
        'override_params',
        'they are added to each request as body; a field that the client sends wins.',
        title,
      )
    return isFit ? [[name, json] as const] : []
  })
  return fields.length === 0 ? {} : { body: Object.fromEntries(fields) }
}

function timeoutsOf(target: Target, isOwn: boolean): JsonObject {
  const ms = numberOf(target['request_timeout'])
  return ms === undefined || ms <= 0 ? {} : endpointTimeouts(ms, isOwn)
}
