import { findProvider } from '../../../lambdas/providers/catalog.ts'
import { importedBaseUrl } from '../providers/base-url.ts'
import { hostAt, hostNamed, isOwnNetwork, refusalOf } from '../providers/find-host.ts'
import type { Host } from '../providers/hosts.ts'
import { LITELLM_PROVIDERS } from './provider-names.ts'
import { resolveText, textOf, type Variables } from '../read-values.ts'

/** Where a deployment's model is: its host, base URL and name there; or why it cannot be called. */
export type ModelPlace =
  | { host: Host | undefined; baseUrl: string | null; model: string; isOwnNetwork: boolean }
  | { problem: string }

type Parameters = Readonly<Record<string, unknown>>

/** Names of models that LiteLLM knows without their provider. */
const WELL_KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|o\d(?:-|$)|text-embedding-|ft:gpt|davinci|babbage)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'vertex-ai'],
  [/^command-/, 'cohere'],
  [/^grok-/, 'xai'],
  [/^deepseek-/, 'deepseek'],
]

/** Prefixes of any host that speaks OpenAI's chat API. */
const COMPATIBLE = /^(?:openai|custom_openai|openai_like|openai_compatible|aiohttp_openai|custom)$/
/** Parts of a name that choose how LiteLLM calls the model, and are no part of it. */
const WAYS = /^(?:responses|converse(?:_like)?|invoke|o_series|gpt5_series|chat|async_invoke)\//
const REGION = /^([a-z]{2}(?:-[a-z]+)+-\d)\//

type Named = { provider: string | undefined; model: string }

function splitName(text: string, stated: string | undefined): Named {
  if (stated !== undefined) {
    return { provider: stated, model: text.startsWith(`${stated}/`) ? text.slice(stated.length + 1) : text }
  }
  const [prefix = '', ...rest] = text.split('/')
  const isKnown = [
    LITELLM_PROVIDERS.has(prefix),
    COMPATIBLE.test(prefix),
    hostNamed(prefix),
    refusalOf(prefix),
  ]
  if (rest.length > 0 && isKnown.some(Boolean)) return { provider: prefix, model: rest.join('/') }
  return { provider: WELL_KNOWN.find(([pattern]) => pattern.test(text))?.[1], model: text }
}

/** Where the place of a provider is by custom, if the deployment does not state it. */
const placeVariables = (provider: string): readonly string[] => {
  const name = provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
  return [`${name}_API_BASE`, `${name}_BASE_URL`, ...(name === 'AZURE' ? ['AZURE_OPENAI_ENDPOINT'] : [])]
}

/** Reads `model`, `api_base` and what else says where a deployment is. */
export function findModelPlace(parameters: Parameters, variables: Variables): ModelPlace {
  const written = resolveText(parameters['model'], variables)
  if (written === undefined) return { problem: 'litellm_params.model is missing.' }
  if ('unset' in written) return { problem: unset('model', written.unset) }
  const { provider, model: name } = splitName(written.text, textOf(parameters['custom_llm_provider']))
  const refusal = provider === undefined ? undefined : refusalOf(provider)
  if (refusal !== undefined) return { problem: refusal }
  const stated = resolveText(parameters['api_base'] ?? parameters['base_url'], variables)
  if (stated && 'unset' in stated) return { problem: unset('api_base', stated.unset) }
  const apiBase =
    stated?.text ??
    (provider &&
      placeVariables(provider)
        .map(at => variables[at])
        .find(Boolean))
  const named = provider === undefined ? undefined : (hostNamed(provider) ?? hostOfOwn(provider, apiBase))
  const isCompatible = provider === undefined || COMPATIBLE.test(provider)
  const host = isCompatible && apiBase !== undefined ? hostAt(withScheme(apiBase)) : named
  const { model, region } = modelOf(name, host)
  if (model === '') return { problem: `"${written.text}" names no model.` }
  if (/\s/.test(model)) return { problem: `"${model}" has spaces, which no reference can have.` }
  if (host?.like === 'bedrock')
    return bedrockPlace(host, model, provider, region ?? parameters['aws_region_name'], variables)
  if (apiBase === undefined) return placeless(host, provider, model, written.text)
  const found = importedBaseUrl(host, apiBase, {
    version: versionOf(provider, apiBase, parameters, variables),
    model,
  })
  if ('problem' in found) return { problem: `its api_base cannot be used: ${found.problem}.` }
  const isOwn = found.baseUrl !== null && isOwnNetwork(found.baseUrl)
  return { host, baseUrl: found.baseUrl, model: found.model, isOwnNetwork: isOwn }
}

/** What LiteLLM asks Azure for where nothing is stated. @see litellm/__init__.py AZURE_DEFAULT_API_VERSION */
const USUAL_VERSION = '2025-02-01-preview'

function versionOf(
  provider: string | undefined,
  apiBase: string,
  parameters: Parameters,
  variables: Variables,
): string | undefined {
  const version = resolveText(parameters['api_version'], variables)
  if (version && 'text' in version) return version.text
  if (provider !== 'azure' || /[?&]api-version=/.test(apiBase)) return undefined
  return textOf(variables['AZURE_API_VERSION']) ?? USUAL_VERSION
}

/** A provider that has no row here, at the place that the file states: its name is that of its key's variable. */
const hostOfOwn = (provider: string, place: string | undefined): Host | undefined =>
  place === undefined ? undefined : { names: [provider] }

const withScheme = (url: string): string => (/^[a-z][\w+.-]*:\/\//i.test(url) ? url : `http://${url}`)

const unset = (field: string, variable: string): string =>
  `its ${field} is in the variable ${variable}, which is not set here. Set it (in .env, for one) and import again.`

function modelOf(name: string, host: Host | undefined): { model: string; region: string | undefined } {
  const bare = name.replace(WAYS, '')
  if (host?.like === 'bedrock') {
    const region = REGION.exec(bare)?.[1]
    return { model: region === undefined ? bare : bare.slice(region.length + 1).replace(WAYS, ''), region }
  }
  // The router of Hugging Face takes the host behind the model, LiteLLM before it.
  const routed = host?.like === 'huggingface' ? /^([^/]+)\/([^/]+\/[^/]+)$/.exec(bare) : null
  return { model: routed ? `${routed[2]}:${routed[1]}` : bare, region: undefined }
}

function placeless(
  host: Host | undefined,
  provider: string | undefined,
  model: string,
  written: string,
): ModelPlace {
  if (host === undefined) {
    const advice =
      provider === undefined
        ? `which provider serves "${written}" is not said. Write it before the model (openai/…), or add api_base.`
        : `where "${provider}" is, is not known. Add api_base to import it as a host with the OpenAI chat API.`
    return { problem: advice }
  }
  const row = host.like === undefined ? undefined : findProvider(host.like)
  if (row && row.baseUrl === null) {
    return { problem: `its api_base is missing. Add it, such as ${row.baseUrlExample}.` }
  }
  return { host, baseUrl: null, model, isOwnNetwork: row?.needsKey === false }
}

function bedrockPlace(
  host: Host,
  model: string,
  provider: string | undefined,
  region: unknown,
  variables: Variables,
): ModelPlace {
  if (/[*?$]/.test(model)) return { problem: `"${model}" is not the full ID of one model.` }
  const found = resolveText(region, variables)
  const isMantle = /mantle/.test(provider ?? '')
  // Where the region is in the environment, it is read there when the gateway starts.
  if (found === undefined || ('unset' in found && !isMantle)) {
    if (!isMantle) return { host, baseUrl: null, model, isOwnNetwork: false }
    return { problem: 'its aws_region_name is missing.' }
  }
  if ('unset' in found) return { problem: unset('aws_region_name', found.unset) }
  const url = isMantle
    ? `https://bedrock-mantle.${found.text}.api.aws/v1`
    : `https://bedrock-runtime.${found.text}.amazonaws.com/openai/v1`
  return URL.canParse(url)
    ? { host, baseUrl: url, model, isOwnNetwork: false }
    : { problem: 'its aws_region_name is no region.' }
}
