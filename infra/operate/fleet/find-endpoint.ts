import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { CommandCall } from './command-call.ts'
import type { OpenFleet } from './open-fleet.ts'
import { printable } from '../../terminal/paint.ts'

type Fleet = Pick<OpenFleet, 'endpoints' | 'call'>

const MOST_NAMED = 8

/** What a name may have been meant to be: the closest one, those that contain it or its model, or a few of all. */
function hintFor(name: string, known: readonly string[], call: CommandCall): string {
  const closest = didYouMean(name, known)
  if (closest !== '') return closest
  const part = (name.split('/').at(-1) || name).toLowerCase()
  const alike = known.filter(candidate => candidate.toLowerCase().includes(part))
  const named = (alike.length > 0 ? alike : known).slice(0, MOST_NAMED)
  const more = named.length < (alike.length || known.length) ? ', …' : ''
  return ` Choose one of: ${named.join(', ')}${more}. All of them: ${call('status', '--all')}`
}

/** The endpoint that a person names, as the configuration does or by id. Throws with the closest name. */
export function findEndpoint({ endpoints, call }: Fleet, name: string): Endpoint {
  const found = endpoints.find(endpoint => endpoint.name === name || endpoint.id === name)
  if (found) return found
  const known = endpoints.map(endpoint => endpoint.name)
  throw new CommandError(`No endpoint "${printable(name)}".${hintFor(name, known, call)}`)
}

/** The same; where the name is that of a model, the message names the model's endpoints. */
export async function endpointOf(
  fleet: Fleet & Pick<OpenFleet, 'describe'>,
  name: string,
): Promise<Endpoint> {
  try {
    return findEndpoint(fleet, name)
  } catch (error) {
    const { models } = await fleet.describe().catch(() => ({ models: [] }))
    const meant = models.find(({ model }) => model.toLowerCase() === name.toLowerCase())
    if (!meant) throw error
    const known = [...new Set(meant.chain.map(({ endpoint }) => endpoint))].join(', ')
    throw new CommandError(printable(`${meant.model} is a model; name one of its endpoints: ${known}`), {
      cause: error,
    })
  }
}

/** A provider that some endpoint belongs to. Throws with the closest name. */
export function findProvider({ endpoints, call }: Fleet, name: string): string {
  const known = [...new Set(endpoints.map(({ provider }) => provider))]
  if (known.includes(name)) return name
  throw new CommandError(`No provider "${printable(name)}".${hintFor(name, known, call)}`)
}
