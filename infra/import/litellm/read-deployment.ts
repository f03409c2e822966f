import {
  fieldAt,
  listOf,
  numberOf,
  resolveText,
  statedFields,
  textOf,
  type Variables,
} from '../read-values.ts'
import type { DraftEndpoint } from '../draft.ts'
import { readKeySource, type KeySource } from '../providers/key-source.ts'
import type { Report } from '../report.ts'
import { endpointFields, READ_INFO } from './endpoint-fields.ts'
import { modelKind } from './model-kind.ts'
import { findModelPlace, type ModelPlace } from './model-place.ts'
import type { Share } from './shares.ts'

/** One entry of `model_list`. */
export type Deployment = {
  /** Its `model_name`, by which clients ask for it. */
  group: string
  kind: 'chat' | 'embeddings'
  endpoint: DraftEndpoint
  /** The lower, the earlier; those that state none come last. */
  order: number
  share: Share
}

type Source = { document: unknown; variables: Variables; report: Report }

/** What a deployment takes from the entry of `credential_list` that it names. */
function credentialOf(document: unknown, name: unknown): Record<string, unknown> {
  const stated = textOf(name)
  const found = listOf(fieldAt(document, 'credential_list')).find(
    entry => stated !== undefined && textOf(fieldAt(entry, 'credential_name')) === stated,
  )
  return Object.fromEntries(statedFields(fieldAt(found, 'credential_values')))
}

/** Which of several entries of one name it is; the host alone, as the rest of a URL may hold a password. */
function placeIn(parameters: Readonly<Record<string, unknown>>, variables: Variables): string {
  const stated = resolveText(parameters['api_base'] ?? parameters['base_url'], variables)
  const url = stated && 'text' in stated && URL.canParse(stated.text) ? new URL(stated.text) : undefined
  return url?.host ? ` at ${url.host}` : ''
}

/** An entry of `model_list` as a deployment; null, with a note, where it cannot be called. */
export function readDeployment(entry: unknown, { document, variables, report }: Source): Deployment | null {
  const stated = Object.fromEntries(statedFields(fieldAt(entry, 'litellm_params')))
  const parameters: Record<string, unknown> = {
    ...credentialOf(document, stated['litellm_credential_name']),
    ...stated,
  }
  // People write these in either place.
  const info = {
    ...Object.fromEntries(statedFields(parameters).filter(([name]) => READ_INFO.has(name))),
    ...Object.fromEntries(statedFields(fieldAt(entry, 'model_info'))),
  }
  const group = textOf(fieldAt(entry, 'model_name'))
  const leave = (advice: string): null => {
    const name = group ?? textOf(parameters['model']) ?? 'an entry of model_list'
    report.add('left_out', name + placeIn(parameters, variables), advice)
    return null
  }
  if (Object(entry) !== entry) return leave('it is no object with a model_name and litellm_params.')
  if (group === undefined) return leave('its model_name is missing.')
  if (!isPlain(group)) return leave('its model_name has control characters.')
  const kind = modelKind(
    info['mode'],
    [parameters['model'], info['base_model']].flatMap(name => textOf(name) ?? []),
  )
  if ('unserved' in kind) return leave(`models for ${kind.unserved.replaceAll('_', ' ')} are not served.`)
  const place = findModelPlace(parameters, variables)
  if ('problem' in place) return leave(place.problem)
  for (const [name] of statedFields(entry)) {
    if (!['model_name', 'litellm_params', 'model_info'].includes(name))
      report.add('no_counterpart', name, 'unknown to the importer; nothing was written.', group)
  }
  const { host, baseUrl, model } = place
  const weight = numberOf(parameters['weight'])
  if (parameters['weight'] !== undefined && (weight === undefined || weight < 0))
    report.add(
      'no_counterpart',
      'litellm_params.weight',
      'it is no number from 0; nothing was written.',
      group,
    )
  const key = keyOf(parameters, place)
  if (key.kind === 'none' && textOf(parameters['api_key']) !== undefined)
    report.add('different', 'litellm_params.api_key', PLACEHOLDER, group)
  if (key.kind === 'template') report.add('different', 'litellm_params.api_key', TEMPLATE, group)
  if (host?.like === 'bedrock' && !OPEN_WEIGHT.test(model))
    report.add('different', `bedrock/${model}`, BEDROCK, group)
  return {
    group,
    kind: kind.kind,
    endpoint: {
      account: { host, baseUrl, key },
      model,
      fields: endpointFields(parameters, info, place.isOwnNetwork, (noteKind, what, advice) =>
        report.add(noteKind, what, advice, group),
      ),
    },
    order: numberOf(parameters['order']) ?? Number.POSITIVE_INFINITY,
    share: {
      weight,
      rpm: numberOf(parameters['rpm']),
      tpm: numberOf(parameters['tpm']),
    },
  }
}

const TEMPLATE =
  'a template that another program fills in, so that no key is known here. Set the key of the provider.'
const PLACEHOLDER =
  'a placeholder, so that no key is sent there. If it is the key, set it as the key of the provider.'
/** Models of Bedrock that its OpenAI-compatible API serves, also behind a prefix of a region. */
const OPEN_WEIGHT =
  /^(?:[a-z-]+\.)?(?:openai|qwen|deepseek|mistral|moonshot(?:ai)?|minimax|zai|google|nvidia)\./
const BEDROCK =
  "called in Bedrock's OpenAI-compatible API, which serves open-weight models; Claude answers there in POST /v1/messages alone. npm run probe shows what answers."

/** `__proto__` is a name that JavaScript takes for something else. */
const isPlain = (name: string): boolean =>
  // eslint-disable-next-line no-control-regex -- these are what must not stand there
  !/[\u0000-\u001f\u007f]/.test(name) && name !== '__proto__'

/** A host of one's own for which no key is stated needs none. */
function keyOf(
  parameters: Readonly<Record<string, unknown>>,
  place: Exclude<ModelPlace, { problem: string }>,
): KeySource {
  const key = readKeySource(parameters['api_key'])
  const isUnkeyed = key.kind === 'default' && place.isOwnNetwork && place.host?.like === undefined
  return isUnkeyed ? { kind: 'none' } : key
}
