import type { HopView, ModelView } from '../../../lambdas/core/routing/view/model-view.ts'
import { callableProviders } from '../../explain/callable-providers.ts'
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
  models: readonly ModelView[],
  view: Reader & { width: number; paint: Paint },
): string[] {
  const found = callableProviders(models)
  const barred = [...found].flatMap(([provider, { isCallable, hops }]) => {
    const first = isCallable ? undefined : firstBack(hops)
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
