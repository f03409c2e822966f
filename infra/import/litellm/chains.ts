import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { Account, DraftAlias, DraftEndpoint } from '../draft.ts'
import type { Report } from '../report.ts'
import type { FallbackTable } from './fallback-table.ts'
import type { Deployment } from './read-deployment.ts'
import { withShares } from './shares.ts'

type Kind = Deployment['kind']
type Tier = DraftAlias['tiers'][number]

/** The deployments of one `model_name`. */
export type Group = { name: string; kind: Kind; tiers: readonly (readonly DraftEndpoint[])[] }

/** How the replicas of a group are chosen: `shuffle`, or a strategy of Backstop's. */
export type Choice = 'shuffle' | 'fastest' | 'cheapest' | 'balanced'

/** Deployments by their name, in the order of the file; those of a lower `order` are tiers that come first. */
export function groupDeployments(
  deployments: readonly Deployment[],
  choice: Choice,
  report: Report,
): readonly Group[] {
  const byName = Map.groupBy(deployments, ({ group }) => group)
  return [...byName].map(([name, all]) => {
    const kind = all[0]?.kind ?? 'chat'
    const members = all.filter(deployment => deployment.kind === kind)
    if (members.length < all.length) {
      report.add(
        'left_out',
        `a deployment of ${name}`,
        'one model is for chat or for embeddings, not for both.',
      )
    }
    const orders = [...new Set(members.map(({ order }) => order))].toSorted((a, b) => a - b)
    const tiers = orders.map(order => members.filter(deployment => deployment.order === order))
    // Vectors of different models do not mix, so that embeddings have one tier.
    const cut = kind === 'embeddings' ? [tiers.flat()] : tiers
    return { name, kind, tiers: cut.map(tier => replicasOf(tier, choice)) }
  })
}

const replicasOf = (tier: readonly Deployment[], choice: Choice): readonly DraftEndpoint[] =>
  tier.length > 1 && choice === 'shuffle' ? withShares(tier) : tier.map(({ endpoint }) => endpoint)

/** Names that lead somewhere and are no group's: second names, and what stands before the models of an account. */
type OtherNames = { aliases: ReadonlyMap<string, string>; accounts: ReadonlyMap<string, Account> }

/** A model that clients may ask for directly, as a tier. */
function directTier(accounts: OtherNames['accounts'], target: string): readonly Tier[] {
  const slash = target.indexOf('/')
  const account = accounts.get(target.slice(0, slash))
  const model = target.slice(slash + 1)
  return account && model !== '' && !/[\s*]/.test(model) ? [[{ account, model, fields: {} }]] : []
}

/** Groups with their fallbacks as further tiers. */
export function chainsOf(
  groups: readonly Group[],
  { aliases, accounts }: OtherNames,
  fallbacks: FallbackTable,
  choice: Choice,
  report: Report,
): readonly DraftAlias[] {
  const byName = new Map(groups.map(group => [group.name, group]))
  const targetsOf = (name: string): readonly string[] => {
    const stated = [...fallbacks.general(name), ...fallbacks.ofContext(name)]
    return [...new Set(stated.map(found => aliases.get(found) ?? found))].filter(target => target !== name)
  }

  function tiersOfTarget(group: Group, target: string): readonly Tier[] {
    const found = byName.get(target)
    if (found === undefined) {
      const direct = directTier(accounts, target)
      if (direct.length > 0 && group.kind === 'chat') return direct
      report.add(
        'no_counterpart',
        `the fallback ${target}`,
        'no model of this name was imported.',
        group.name,
      )
      return []
    }
    if (found.kind !== group.kind || found.kind === 'embeddings') {
      if (fallbacks.names(group.name)) {
        report.add(
          'no_counterpart',
          `the fallback ${target}`,
          'vectors of different models do not mix.',
          group.name,
        )
      }
      return []
    }
    // An alias brings its own fallbacks along, which may lead back to this one, or beyond the limit.
    return targetsOf(target).length === 0 ? [{ alias: target }] : found.tiers
  }

  /**
   * LiteLLM goes on with the fallbacks of a fallback before it takes the next one. Each one that is tried takes one of
   * the limited number; a model that two ways lead to is followed again only where the second way is the shorter one.
   */
  function tiersBehind(group: Group): readonly Tier[] {
    const reached = new Map([[group.name, 0]])
    const tiers: Tier[] = []
    const follow = (name: string, depth: number): void => {
      if (depth >= fallbacks.depth) return
      for (const [index, target] of targetsOf(name).entries()) {
        const tried = depth + index + 1
        const before = reached.get(target)
        if (before === undefined) tiers.push(...tiersOfTarget(group, target))
        if (before !== undefined && before <= tried) continue
        reached.set(target, tried)
        follow(target, tried)
      }
    }
    follow(group.name, 0)
    return tiers
  }

  for (const name of fallbacks.models.filter(model => !byName.has(model)))
    report.add('no_counterpart', `the fallbacks of ${name}`, 'no model of this name was imported.')
  const named = groups.map(group => {
    const { general, ofContext } = fallbacks
    if (ofContext(group.name).some(name => !general(group.name).includes(name))) {
      report.add(
        'different',
        'context_window_fallbacks',
        'they are further tiers, used after any failure that lets another endpoint answer. Declare contextWindow, and long prompts go there at once.',
        group.name,
      )
    }
    return {
      name: group.name,
      fields: fieldsOf(group, choice),
      tiers: [...group.tiers, ...tiersBehind(group)],
    }
  })
  return [...named, ...secondNames(byName, aliases, report)]
}

function fieldsOf({ kind, tiers }: Group, choice: Choice): JsonObject {
  const isChoice = tiers.some(tier => tier.length > 1) && choice !== 'shuffle'
  return { ...(kind === 'embeddings' && { kind }), ...(isChoice && { strategy: choice }) }
}

/** `model_group_alias`: another name for a model. */
function secondNames(
  groups: ReadonlyMap<string, Group>,
  aliases: ReadonlyMap<string, string>,
  report: Report,
): readonly DraftAlias[] {
  return [...aliases].flatMap(([name, target]) => {
    const group = groups.get(target)
    if (groups.has(name)) return []
    if (group === undefined) {
      report.add('left_out', name, `it is another name for ${target}, which was not imported.`)
      return []
    }
    return [
      { name, fields: group.kind === 'embeddings' ? { kind: group.kind } : {}, tiers: [{ alias: target }] },
    ]
  })
}
