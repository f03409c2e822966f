import { OWN_TAGS } from '../../contract.ts'
import type { ConfigProblem } from '../config-error.ts'
import { didYouMean } from '../closest-name.ts'
import { checkAlarms } from './check-alarms.ts'
import { entriesOf, field } from './read-loosely.ts'

/** What the options of the stack say of each other. */
export function checkDeploy(config: unknown): ConfigProblem[] {
  const deploy = field(config, 'deploy')
  const problems = checkAlarms(deploy)
  const budget = field(deploy, 'budget')
  if (
    budget !== undefined &&
    field(budget, 'email') === undefined &&
    field(deploy, 'alarmEmail') === undefined
  )
    problems.push({
      path: ['deploy', 'budget'],
      message: 'nobody would be told. Set deploy.budget.email or deploy.alarmEmail',
    })
  return [...problems, ...checkTags(deploy), ...checkCanary(config)]
}

/** Roles have one tag for `Application` and `application`, so that either would take the place of ours. */
function checkTags(deploy: unknown): ConfigProblem[] {
  const own: readonly string[] = Object.values(OWN_TAGS)
  return entriesOf(field(deploy, 'tags')).flatMap(([key]) =>
    own.includes(key.toLowerCase())
      ? [{ path: ['deploy', 'tags', key], message: 'Backstop sets this tag itself. Use another key' }]
      : [],
  )
}

/** Whether there is a model that the canary can ask. */
function checkCanary(config: unknown): ConfigProblem[] {
  const canary = field(field(config, 'deploy'), 'canary')
  if (canary === undefined || canary === false) return []
  const chats = entriesOf(field(config, 'models')).flatMap(([alias, model]) =>
    field(model, 'kind') === 'embeddings' ? [] : [alias],
  )
  if (canary === true)
    return chats.length > 0
      ? []
      : [{ path: ['deploy', 'canary'], message: 'there is no model that answers chats. Remove it' }]
  const name = field(canary, 'model')
  if (typeof name !== 'string' || chats.includes(name)) return []
  const message = `expected a model that answers chats, got ${JSON.stringify(name)}.${didYouMean(name, chats)}`
  return [{ path: ['deploy', 'canary', 'model'], message }]
}
