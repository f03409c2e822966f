import type { Counters } from './fleet-store.ts'

/** The attribute beside an endpoint's counters that holds its last failure. */
export const LAST_FAILURE = 'lastFailure'

const names = (attributes: readonly string[], prefix: string): [string, string][] =>
  attributes.map((attribute, index) => [`#${prefix}${index}`, attribute])

/** One write that adds to counters and removes others; a counter that is in both begins anew. */
export function counterUpdate(
  add: Counters,
  remove: readonly string[],
  expiresAt: number,
  lastFailure: string | undefined,
) {
  const gone = new Set(remove)
  const counted = Object.keys(add)
  const begun = names(
    counted.filter(name => gone.has(name)),
    'b',
  )
  const added = names(
    counted.filter(name => !gone.has(name)),
    'a',
  )
  const removed = names(
    remove.filter(name => !(name in add)),
    'r',
  )
  const set = [
    'expiresAt = :expiresAt',
    ...(lastFailure === undefined ? [] : [`${LAST_FAILURE} = :last`]),
    ...begun.map(([name]) => `${name} = :${name.slice(1)}`),
  ]
  const clauses = [
    `SET ${set.join(', ')}`,
    ...(added.length > 0 ? [`ADD ${added.map(([name]) => `${name} :${name.slice(1)}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => name).join(', ')}`] : []),
  ]
  const counts = [...begun, ...added]
  const all = [...counts, ...removed]
  return {
    UpdateExpression: clauses.join(' '),
    ...(all.length > 0 ? { ExpressionAttributeNames: Object.fromEntries(all) } : {}),
    ExpressionAttributeValues: {
      ':expiresAt': Math.ceil(expiresAt / 1_000),
      ...(lastFailure === undefined ? {} : { ':last': lastFailure }),
      ...Object.fromEntries(counts.map(([name, attribute]) => [`:${name.slice(1)}`, add[attribute]])),
    },
  }
}
