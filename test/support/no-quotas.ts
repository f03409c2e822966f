import type { Quotas } from '../../lambdas/engine/quotas/quotas.ts'

/** No limit of any provider is known. */
export const NO_QUOTAS: Quotas = {
  look: () => undefined,
  current: async () => undefined,
  marks: () => new Map(),
  admit: async (_, [key = null]) => ({ key, claim: null }),
  giveBack: () => undefined,
  heard: () => undefined,
  ended: () => undefined,
  flush: () => undefined,
  describe: async () => ({ marks: new Map(), rows: [] }),
}
