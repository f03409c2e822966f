import { createHash } from 'node:crypto'

/** Provider keys by fingerprint: the plan and every record speak of fingerprints, only the call needs a secret. */
export type KeyRing = {
  /** Fingerprints of each provider, in the order in which its keys are used. */
  fingerprints: ReadonlyMap<string, readonly string[]>
  secretOf: (provider: string, fingerprint: string) => string | undefined
}

/** Keys given twice count once. */
export function createKeyRing(providerKeys: ReadonlyMap<string, readonly string[]>): KeyRing {
  const rings = new Map(
    [...providerKeys].map(([provider, keys]) => [
      provider,
      new Map(keys.map(key => [keyFingerprint(key), key])),
    ]),
  )
  return {
    fingerprints: new Map([...rings].map(([provider, ring]) => [provider, [...ring.keys()]])),
    secretOf: (provider, fingerprint) => rings.get(provider)?.get(fingerprint),
  }
}

/** Eight hex digits by which a key is known without being told. */
export function keyFingerprint(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
