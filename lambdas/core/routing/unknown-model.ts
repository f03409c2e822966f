import type { AliasKind } from '../endpoint.ts'
import { GatewayError } from './gateway-error.ts'

/** What a client hears that asks for an alias which does not exist, with the one it most likely meant. */
export function unknownModel(alias: string, closest: string | null): GatewayError {
  const hint = closest ? `Did you mean '${closest}'?` : 'GET /v1/models lists what there is.'
  return new GatewayError(
    'model_not_found',
    `The model '${alias.slice(0, 200)}' does not exist here. ${hint}`,
    'model',
  )
}

const MOST_NAMED = 5

/** What a caller hears that asks for an alias which is not for it, with those that are. */
export function modelNotAllowed(alias: string, caller: string, allowed: readonly string[]): GatewayError {
  const named = allowed.slice(0, MOST_NAMED).map(name => `'${name}'`)
  const hint =
    allowed.length === 0
      ? 'It may use no model.'
      : `It may use ${named.join(', ')}${allowed.length > MOST_NAMED ? ' and others (GET /v1/models)' : ''}.`
  return new GatewayError(
    'model_not_allowed',
    `The client '${caller}' may not use the model '${alias.slice(0, 200)}'. ${hint} ` +
      'Whoever runs this gateway can change that in its configuration, under `clients`.',
    'model',
  )
}

/** What a client hears that asks a model for what it does not do. */
export function wrongKind(alias: string, kind: AliasKind): GatewayError {
  const [does, path] =
    kind === 'embeddings'
      ? ['is an embeddings model', '/v1/embeddings']
      : ['is a chat model', '/v1/chat/completions']
  return new GatewayError('invalid_request', `The model '${alias}' ${does}. Use POST ${path}.`, 'model')
}
