import { unknownModel } from '../core/routing/unknown-model.ts'
import { jsonReply, type Reply } from './reply.ts'

/** The aliases of the configuration. */
export type Models = {
  aliases: readonly string[]
  /** The alias that was most likely meant. */
  closest(name: string): string | null
}

const modelOf = (alias: string) => ({ id: alias, object: 'model', created: 0, owned_by: 'backstop' })

/** `GET /v1/models`: the aliases, in OpenAI's shape. */
export function modelsReply({ aliases }: Models): Reply {
  return jsonReply(200, { object: 'list', data: aliases.map(modelOf) })
}

/** `GET /v1/models/{id}`. Throws `GatewayError` for an alias that does not exist. */
export function modelReply({ aliases, closest }: Models, alias: string): Reply {
  if (aliases.includes(alias)) return jsonReply(200, modelOf(alias))
  throw unknownModel(alias, closest(alias))
}
