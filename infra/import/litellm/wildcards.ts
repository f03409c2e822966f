import { fieldAt, textOf, type Variables } from '../read-values.ts'
import type { Account } from '../draft.ts'
import type { Report } from '../report.ts'
import { readDeployment, type Deployment } from './read-deployment.ts'

/** What becomes of entries whose name stands for many models. */
export type Wildcards = {
  /** Deployments that answer every unknown name. */
  others: readonly Deployment[]
  /** Accounts whose models clients may ask for directly, by what stands before the model's name. */
  accounts: ReadonlyMap<string, Account>
}

type Source = { document: unknown; variables: Variables; report: Report }

/** Whether an entry of `model_list` stands for many models. */
export const isWildcard = (entry: unknown): boolean =>
  [fieldAt(entry, 'model_name'), fieldAt(entry, 'litellm_params', 'model')].some(name =>
    textOf(name)?.includes('*'),
  )

const DIRECT =
  'written as the setting direct_models: clients may ask for any model as provider/model, of every provider that has a ' +
  'key, without fallback.'

/** `*` that leads to one model answers unknown names; `openai/*` and `*` that lead on are `direct_models`. */
export function readWildcards(entries: readonly unknown[], source: Source): Wildcards {
  const { report } = source
  const others: Deployment[] = []
  const accounts = new Map<string, Account>()
  for (const entry of entries) {
    const name = textOf(fieldAt(entry, 'model_name')) ?? ''
    const model = textOf(fieldAt(entry, 'litellm_params', 'model')) ?? ''
    if (name === '*' && model === '*') {
      report.add('different', '"*"', DIRECT)
      continue
    }
    const deployment = readDeployment(withModel(entry, model.replaceAll('*', 'any')), source)
    if (deployment === null) continue
    if (!model.includes('*')) {
      if (name === '*') others.push(deployment)
      else
        report.add(
          'left_out',
          name,
          'a pattern leads to one model here. List each name that clients use as an alias.',
        )
      continue
    }
    const [, prefix] = /^([\w.-]+)\/\*$/.exec(name) ?? []
    if (prefix === undefined && name !== '*') {
      report.add('left_out', name, 'a pattern of names has no counterpart. List each model that clients use.')
      continue
    }
    const { account } = deployment.endpoint
    const isOwnName = prefix === undefined || prefix === account.host?.like
    accounts.set(prefix ?? '*', isOwnName ? account : { ...account, id: prefix })
    report.add('different', `"${name}"`, DIRECT)
  }
  return { others, accounts }
}

/** The entry as if it led to one model, so that it can be read like any other. */
const withModel = (entry: unknown, model: string): unknown => ({
  ...(typeof entry === 'object' ? entry : {}),
  litellm_params: { ...Object(fieldAt(entry, 'litellm_params')), model },
})
