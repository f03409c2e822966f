import { jsonReply, type Reply } from './reply.ts'
import { unknownModel } from './unknown-model.ts'

const modelOf = (alias: string) => ({ id: alias, object: 'model', created: 0, owned_by: 'backstop' })

/** `GET /v1/models`: the aliases, in OpenAI's shape. */
export function modelsReply(aliases: readonly string[]): Reply {
  return jsonReply(200, { object: 'list', data: aliases.map(modelOf) })
}

/** `GET /v1/models/{id}`. Throws `GatewayError` for an alias that does not exist. */
export function modelReply(
  aliases: readonly string[],
  alias: string,
  closestAlias: (name: string) => string | null,
): Reply {
  if (aliases.includes(alias)) return jsonReply(200, modelOf(alias))
  throw unknownModel(alias, closestAlias(alias))
}
