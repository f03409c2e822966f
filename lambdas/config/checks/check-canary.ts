import { DEFAULT_CLIENT, EVERY_OTHER } from '../../core/callers/client-limits.ts'
import { didYouMean } from '../closest-name.ts'
import type { ConfigProblem } from '../config-error.ts'
import { entriesOf, field } from './read-loosely.ts'

/** Whether there is a model that the canary can ask, and may. */
export function checkCanary(config: unknown): ConfigProblem[] {
  const canary = field(field(config, 'deploy'), 'canary')
  if (canary === undefined || canary === false) return []
  const chats = entriesOf(field(config, 'models')).flatMap(([alias, model]) =>
    field(model, 'kind') === 'embeddings' ? [] : [alias],
  )
  const name = canary === true ? chats[0] : field(canary, 'model')
  if (name === undefined)
    return [{ path: ['deploy', 'canary'], message: 'there is no model that answers chats. Remove it' }]
  if (typeof name !== 'string') return []
  if (chats.includes(name)) return checkClient(config, name, chats)
  const message = `expected a model that answers chats, got ${JSON.stringify(name)}.${didYouMean(name, chats)}`
  return [{ path: ['deploy', 'canary', 'model'], message }]
}

/** Whether the client that the canary is may use its model. With `auth: 'iam'` its name is made by the deploy. */
function checkClient(config: unknown, model: string, chats: readonly string[]): ConfigProblem[] {
  const client = field(field(config, 'deploy'), 'auth') === 'iam' ? null : DEFAULT_CLIENT
  const clients = field(config, 'clients')
  const entry = client !== null && field(clients, client) !== undefined ? client : EVERY_OTHER
  const listOf = (alias: string): unknown => field(field(field(config, 'models'), alias), 'clients')
  const listed = (list: unknown, name: string | null): boolean =>
    !Array.isArray(list) || (name !== null && list.includes(name))
  const models = field(field(clients, entry), 'models')
  if (listed(models, model) && listed(listOf(model), client)) return []
  const why = listed(models, model) ? `models.${model}.clients` : `clients.${entry}.models`
  const who = client === null ? "the canary's role" : `the client '${client}', whose key the canary uses,`
  const other = chats.find(alias => listed(models, alias) && listed(listOf(alias), client))
  const remedy =
    other === undefined
      ? 'Allow it one, or remove the canary'
      : `Set it to { model: ${JSON.stringify(other)} }`
  return [
    {
      path: ['deploy', 'canary'],
      message: `${who} may not use the model ${JSON.stringify(model)}, because of ${why}. ${remedy}`,
    },
  ]
}
