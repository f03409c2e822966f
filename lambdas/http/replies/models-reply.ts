import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Caller } from '../../core/caller.ts'
import { unknownModel } from '../../core/routing/unknown-model.ts'
import { headerOf } from '../request-headers.ts'
import { jsonReply, type Reply } from './reply.ts'

/** The aliases of the configuration, as far as a caller may use them: others do not exist for it. */
export type Models = {
  aliasesFor(caller: Caller): readonly string[]
  /** The alias that was most likely meant. */
  closest(name: string, caller: Caller): string | null
}

const modelOf = (alias: string) => ({ id: alias, object: 'model', created: 0, owned_by: 'backstop' })

const anthropicModelOf = (alias: string) => ({
  type: 'model',
  id: alias,
  display_name: alias,
  created_at: '1970-01-01T00:00:00Z',
})

/** The client speaks Anthropic's API. */
const isAnthropic = (event: LambdaFunctionURLEvent): boolean =>
  headerOf(event, 'anthropic-version') !== undefined

/** `GET /v1/models`: the aliases, in the shape of the API that the client speaks. */
export function modelsReply(event: LambdaFunctionURLEvent, caller: Caller, models: Models): Reply {
  const aliases = models.aliasesFor(caller)
  if (!isAnthropic(event)) return jsonReply(200, { object: 'list', data: aliases.map(modelOf) })
  return jsonReply(200, {
    data: aliases.map(anthropicModelOf),
    has_more: false,
    first_id: aliases[0] ?? null,
    last_id: aliases.at(-1) ?? null,
  })
}

/** `GET /v1/models/{id}`. Throws `GatewayError` for an alias that does not exist. */
export function modelReply(
  event: LambdaFunctionURLEvent,
  caller: Caller,
  { aliasesFor, closest }: Models,
  alias: string,
): Reply {
  if (aliasesFor(caller).includes(alias)) {
    return jsonReply(200, isAnthropic(event) ? anthropicModelOf(alias) : modelOf(alias))
  }
  throw unknownModel(alias, closest(alias, caller))
}
