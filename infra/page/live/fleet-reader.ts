import { parseJsonObject } from '../../../lambdas/core/json.ts'
import { dayOf } from '../../../lambdas/core/callers/usage-place.ts'
import { overridesOf } from '../../../lambdas/engine/memory/change-overrides.ts'
import { readUsage } from '../../../lambdas/engine/callers/read-usage.ts'
import { type EndpointsAnswer, endpointsSchema } from '../../endpoints-contract.ts'
import { callableProviders } from '../../explain/callable-providers.ts'
import type { PageNumbers } from '../page-contract.ts'
import type { PageSource } from '../page-source.ts'

/** `GET /v1/endpoints`. Rejects with what is wrong, in words. */
export async function readEndpoints(source: Pick<PageSource, 'call'>): Promise<EndpointsAnswer> {
  const response = await source.call('/v1/endpoints')
  const body = await response.text()
  if (!response.ok) throw new Error(messageOf(body) ?? `The gateway answered ${response.status}.`)
  const { success, data } = endpointsSchema.safeParse(parseJsonObject(body))
  if (success) return data
  throw new Error('The gateway runs another version of Backstop than this page: its state cannot be read.')
}

function messageOf(body: string): string | null {
  const error = parseJsonObject(body)?.['error']
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : null
  return typeof message === 'string' ? message : null
}

/** What was spent since midnight in UTC, and how many settings are overridden. */
export type TableFigures = { spent: PageNumbers['spent']; overrides: number }

/** Reads both from the table. Rejects where it cannot be read. */
export async function readTable(
  source: Pick<PageSource, 'store' | 'tools'>,
  now: number,
): Promise<TableFigures> {
  const day = dayOf(now)
  const [rows, tools] = await Promise.all([readUsage(source.store, day, day), source.tools()])
  const sum = (name: 'dollars' | 'lostDollars' | 'unpriced'): number =>
    rows.reduce((total, row) => total + row[name], 0)
  return {
    spent: { dollars: sum('dollars') + sum('lostDollars'), unpriced: sum('unpriced') },
    overrides: Object.keys(overridesOf(tools)).length,
  }
}

/** Providers of the models, and those of them that would be called now. */
export function countProviders(models: EndpointsAnswer['models']): PageNumbers['providers'] {
  const all = [...callableProviders(models).values()]
  return { callable: all.filter(({ isCallable }) => isCallable).length, all: all.length }
}
