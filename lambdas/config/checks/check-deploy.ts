import { OWN_TAGS } from '../../contract.ts'
import type { ConfigProblem } from '../config-error.ts'
import { checkAlarms } from './check-alarms.ts'
import { checkCanary } from './check-canary.ts'
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
