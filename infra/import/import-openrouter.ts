import type { Json, JsonObject } from '../../lambdas/core/json.ts'
import type { Account, Draft } from './draft.ts'
import { hostNamed } from './providers/find-host.ts'
import { looksSecret } from './looks-secret.ts'
import { fieldAt, statedFields, textOf, textsOf } from './read-values.ts'
import type { Report } from './report.ts'

/** What a request says of itself and not of how it is answered. */
const OF_REQUEST = new Set(['messages', 'prompt', 'input', 'stream', 'stream_options', 'session_id', 'trace'])
const READ = new Set(['model', 'models', 'route', 'preset', 'name', 'slug', 'description', 'id'])

/** A preset holds the fields of a request under one of these. */
const INNER = [['designated_version', 'config'], ['config'], ['preset'], ['data']]

function requestOf(document: unknown): unknown {
  const inner = INNER.map(path => fieldAt(document, ...path)).find(
    value => fieldAt(value, 'models') !== undefined || fieldAt(value, 'model') !== undefined,
  )
  return inner ?? document
}

/**
 * A request to OpenRouter, or a preset: each model is a tier, called at OpenRouter with the same preferences. The alias
 * is the name that clients already send.
 */
export function importOpenrouter(document: unknown, report: Report): Draft {
  const request = requestOf(document)
  const body = statedFields(request).flatMap(([name, value]) => {
    if (READ.has(name) || OF_REQUEST.has(name)) return []
    const json = JSON.parse(JSON.stringify(value)) as Json
    const isSecret = looksSecret(name, json)
    if (isSecret)
      report.add('no_counterpart', name, 'it may be a key, which never stands in a configuration.')
    return isSecret ? [] : [[name, json] as const]
  })
  const fields: JsonObject = body.length === 0 ? {} : { body: Object.fromEntries(body) }
  const account: Account = { host: hostNamed('openrouter'), baseUrl: null, key: { kind: 'default' } }
  const stated = [...textsOf(fieldAt(request, 'model')), ...textsOf(fieldAt(request, 'models'))]
  const models = [...new Set(stated)].filter(model => isReference(model, report))
  const preset = textOf(fieldAt(document, 'slug')) ?? textOf(fieldAt(document, 'name'))
  const name = request === document ? models[0] : (preset ?? models[0])
  if (fieldAt(request, 'provider', 'allow_fallbacks') === false) {
    report.add(
      'different',
      'provider.allow_fallbacks',
      'it keeps OpenRouter from another host of the model. For no fallback to the next model, clients send x-backstop-fallback: off.',
    )
  }
  for (const [field] of statedFields(request)) {
    if (OF_REQUEST.has(field)) report.add('not_needed', field, '')
  }
  const tiers = models.map(model => [{ account, model, fields }])
  const fallbacks = { settings: {}, accounts: [], defaultAlias: null, clientKey: null }
  return { ...fallbacks, aliases: name === undefined ? [] : [{ name, fields: {}, tiers }] }
}

function isReference(model: string, report: Report): boolean {
  const isFit = !/\s/.test(model) && model !== '__proto__'
  if (!isFit) report.add('left_out', model, 'a model of OpenRouter has no spaces in its name.')
  return isFit
}
