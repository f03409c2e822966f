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

/** What a client hears that asks a model for what it does not do. */
export function wrongKind(alias: string, kind: AliasKind): GatewayError {
  const [does, path] =
    kind === 'embeddings'
      ? ['is an embeddings model', '/v1/embeddings']
      : ['is a chat model', '/v1/chat/completions']
  return new GatewayError('invalid_request', `The model '${alias}' ${does}. Use POST ${path}.`, 'model')
}
