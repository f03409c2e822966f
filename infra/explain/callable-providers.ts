import type { HopView, ModelView } from '../../lambdas/core/routing/view/model-view.ts'

/** The part of a model's view that tells which of its providers can be called. */
export type ProviderView<Hop extends Pick<HopView, 'endpoint' | 'provider' | 'called' | 'test'>> = Pick<
  ModelView,
  'answered_by'
> & { chain: readonly Hop[] }

/**
 * The hops of each provider that any model names, and whether one of them would be called now. A test of what failed
 * counts as in the view of the model: only where it is what answers.
 */
export function callableProviders<Hop extends Pick<HopView, 'endpoint' | 'provider' | 'called' | 'test'>>(
  models: readonly ProviderView<Hop>[],
): ReadonlyMap<string, { isCallable: boolean; hops: readonly Hop[] }> {
  const found = new Map<string, { isCallable: boolean; hops: Hop[] }>()
  for (const { answered_by: answeredBy, chain } of models) {
    for (const hop of chain) {
      const provider = found.get(hop.provider) ?? { isCallable: false, hops: [] }
      provider.isCallable ||= hop.called && (!hop.test || hop.endpoint === answeredBy)
      provider.hops.push(hop)
      found.set(hop.provider, provider)
    }
  }
  return found
}
