import * as z from 'zod/mini'
import { CLIENT_LIMITS, perLimit, type LimitName } from '../../core/callers/client-limits.ts'

const names = (what: string, one: string) =>
  z.optional(z.array(z.string(`expected ${one}`), `expected a list of ${what}`))

/** The names of the callers that may use an alias. */
export const aliasClients = names('names of clients', 'the name of a client')

const atLeast = (least: number, expected: string) => z.int(expected).check(z.gte(least, expected))

function limit(name: LimitName) {
  const { counts, window } = CLIENT_LIMITS[name]
  if (counts !== 'dollars') return z.optional(atLeast(1, `expected a whole number of ${counts} a ${window}`))
  const expected = `expected more than 0 dollars a ${window}`
  return z.optional(z.number(expected).check(z.gt(0, expected)))
}

/** What one caller may use, and how much of it. */
export const clientSchema = z.strictObject(
  {
    models: names('names of models', 'the name of a model'),
    ...perLimit(limit),
    concurrency: z.optional(atLeast(1, 'expected a whole number of requests at a time')),
  },
  'expected an object such as { requestsPerMinute: 60, dollarsPerMonth: 50 }',
)

export const clientsSchema = z.record(
  z.string(),
  clientSchema,
  'expected an object of clients by name, such as { "billing-app": { requestsPerMinute: 60 } }',
)
