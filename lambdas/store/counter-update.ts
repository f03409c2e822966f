import type { Counters } from './fleet-store.ts'

/** The attribute beside an endpoint's counters that holds its last failure. */
export const LAST_FAILURE = 'lastFailure'

const names = (attributes: readonly string[], prefix: string): [string, string][] =>
  attributes.map((attribute, index) => [`#${prefix}${index}`, attribute])

/** One write that adds to counters and removes others. */
export function counterUpdate(
  add: Counters,
  remove: readonly string[],
  expiresAt: number,
  lastFailure: string | undefined,
) {
  const added = names(Object.keys(add), 'a')
  const removed = names(remove, 'r')
  const clauses = [
    `SET expiresAt = :expiresAt${lastFailure === undefined ? '' : `, ${LAST_FAILURE} = :last`}`,
    ...(added.length > 0 ? [`ADD ${added.map(([name]) => `${name} :${name.slice(1)}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => name).join(', ')}`] : []),
  ]
  const all = [...added, ...removed]
  return {
    UpdateExpression: clauses.join(' '),
    ...(all.length > 0 ? { ExpressionAttributeNames: Object.fromEntries(all) } : {}),
    ExpressionAttributeValues: {
      ':expiresAt': Math.ceil(expiresAt / 1_000),
      ...(lastFailure === undefined ? {} : { ':last': lastFailure }),
      ...Object.fromEntries(added.map(([name, attribute]) => [`:${name.slice(1)}`, add[attribute]])),
    },
  }
}
