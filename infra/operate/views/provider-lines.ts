import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import type { HopView } from '../../../lambdas/core/routing/view/model-view.ts'
import { type Paint, printable } from '../../terminal/paint.ts'
import { wrapWords } from '../../terminal/wrap-words.ts'
import { hopText, type Reader } from './hop-text.ts'

/** What may be called there first, if anything: a provider is as well as the best of its endpoints. */
function firstBack(hops: readonly HopView[]): HopView | undefined {
  const returnOf = ({ until, next_probe_at: probeAt }: HopView): number => until ?? probeAt ?? Infinity
  return hops.toSorted((one, other) => returnOf(one) - returnOf(other))[0]
}

/** How many providers can be called now, and of each other one why not. */
export function providerLines(
  rows: readonly EndpointRow[],
  hops: ReadonlyMap<string, HopView>,
  view: Reader & { width: number; paint: Paint },
): string[] {
  const found = new Map<string, HopView[]>()
  for (const { id, provider } of rows) {
    const hop = hops.get(id)
    if (hop) found.set(provider, [...(found.get(provider) ?? []), hop])
  }
  const barred = [...found].flatMap(([provider, all]) => {
    const first = all.some(({ called, test }) => called && !test) ? undefined : firstBack(all)
    return first ? [`${printable(provider)} (${hopText(first, view)})`] : []
  })
  if (found.size === 0) return []
  const usable = found.size - barred.length
  const text =
    barred.length === 0
      ? `${found.size === 1 ? 'The provider' : `All ${found.size} providers`} can be called.`
      : `${usable} of ${found.size} providers can be called. Not: ${barred.join(', ')}.`
  return wrapWords(text, view.width).map(line => (barred.length > 0 ? view.paint('yellow', line) : line))
}
