import type { DraftEndpoint } from '../draft.ts'

/** What says how much of a group's requests a deployment takes. */
export type Share = { weight: number | undefined; rpm: number | undefined; tpm: number | undefined }

const HIGHEST = 1_000

/**
 * Weights of the replicas of a tier as `simple-shuffle` draws them: by weight where one has any, else by the requests,
 * else by the tokens that they may take; all alike where nothing is stated.
 */
export function withShares(replicas: readonly { endpoint: DraftEndpoint; share: Share }[]): DraftEndpoint[] {
  const by = (['weight', 'rpm', 'tpm'] as const).find(name =>
    replicas.some(({ share }) => (share[name] ?? 0) > 0),
  )
  const sizes = replicas.map(({ share }) => (by === undefined ? 1 : Math.max(0, share[by] ?? 0)))
  const largest = Math.max(...sizes)
  const scale = largest > HIGHEST ? HIGHEST / largest : 1
  return replicas.map(({ endpoint }, index) => ({
    ...endpoint,
    fields: { ...endpoint.fields, weight: Number(((sizes[index] ?? 1) * scale).toFixed(3)) },
  }))
}
