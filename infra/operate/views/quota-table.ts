import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import { formatSpan } from '../../../lambdas/core/format-span.ts'
import { type Paint, printable } from '../../terminal/paint.ts'
import { NONE, type Column, textTable } from '../../terminal/text-table.ts'

const COLUMNS: readonly Column[] = [
  { title: '   limit of', least: 20 },
  { title: 'key' },
  { title: 'limit' },
  { title: 'left' },
  { title: 'back in' },
]

const WORDS = {
  requestsPerMinute: 'requests a minute',
  tokensPerMinute: 'tokens a minute',
  requestsPerDay: 'requests a day',
  tokensPerDay: 'tokens a day',
  concurrency: 'at a time',
} as const

type Known = { of: string; quota: EndpointRow['quotas'][number] }

/** Each limit once: what all models of a key share stands with their provider. */
function limitsOf(rows: readonly EndpointRow[]): readonly Known[] {
  const known = new Map<string, Known>()
  for (const { endpoint, provider, quotas } of rows) {
    for (const quota of quotas) {
      const of = quota.scope === 'key' ? provider : endpoint
      known.set(`${of} ${quota.key} ${quota.name}`, { of, quota })
    }
  }
  return [...known.values()]
}

/** Every limit of a provider that is known, with what is left of it; no line where none is. */
export function quotaTable(
  rows: readonly EndpointRow[],
  { now, width, paint }: { now: number; width: number; paint: Paint },
): string[] {
  const limits = limitsOf(rows)
  if (limits.length === 0) return []
  const { title, lines } = textTable(
    COLUMNS,
    limits.map(({ of, quota: { key, name, limit, left, returns_at: at } }) => [
      { text: `   ${printable(of)}` },
      { text: key ?? NONE },
      { text: `${limit.toLocaleString('en-US')} ${WORDS[name]}` },
      left > 0 ? { text: left.toLocaleString('en-US') } : { text: '0', style: 'yellow' },
      { text: at === null ? NONE : at <= now ? 'now' : formatSpan(at - now) },
    ]),
    { width, paint },
  )
  return [paint('dim', title), ...lines]
}
