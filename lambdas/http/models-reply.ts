import { GatewayError } from './gateway-error.ts'
import { jsonReply, type Reply } from './reply.ts'

const modelOf = (alias: string) => ({ id: alias, object: 'model', created: 0, owned_by: 'backstop' })

/** `GET /v1/models`: the aliases, in OpenAI's shape. */
export function modelsReply(aliases: readonly string[]): Reply {
  return jsonReply(200, { object: 'list', data: aliases.map(modelOf) })
}

/** `GET /v1/models/{id}`. Throws `GatewayError` for an alias that does not exist. */
export function modelReply(aliases: readonly string[], alias: string): Reply {
  if (aliases.includes(alias)) return jsonReply(200, modelOf(alias))
  throw new GatewayError('model_not_found', `The model '${alias}' does not exist here.`, 'model')
}
