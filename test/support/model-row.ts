import { hopWords } from '../../lambdas/core/routing/view/hop-words.ts'
import type { HopView, ModelView } from '../../lambdas/core/routing/view/model-view.ts'

/** An endpoint of a chain that is ready, changed where a test says so. */
export function hopRow(endpoint: string, changes: Partial<HopView> = {}): HopView {
  const [provider = ''] = endpoint.split('/')
  const hop: Omit<HopView, 'words'> = {
    endpoint,
    id: endpoint,
    provider,
    tier: 1,
    place: 1,
    called: (changes.reason ?? null) === null,
    test: false,
    health: 'healthy',
    reason: null,
    cause: null,
    until: null,
    next_probe_at: null,
    ...changes,
  }
  return { ...hop, words: hopWords(hop) }
}

/** A model that its first called endpoint answers, changed where a test says so. */
export function modelRow(
  model: string,
  chain: readonly HopView[],
  changes: Partial<ModelView> = {},
): ModelView {
  const answering = chain.find(({ called, test }) => called && !test)
  return {
    model,
    kind: 'chat',
    answers: answering !== undefined,
    doubtful: answering?.health === 'suspect',
    answered_by: answering?.endpoint ?? null,
    tier: answering?.tier ?? null,
    tiers: chain.at(-1)?.tier ?? 0,
    next: null,
    chain,
    ...changes,
  }
}
