import { createHash } from 'node:crypto'

/** Provider keys by fingerprint: the plan and every record speak of fingerprints, only the call needs a secret. */
export type KeyRing = {
  /** Fingerprints of each provider, in the order in which its keys are used. */
  fingerprints: ReadonlyMap<string, readonly string[]>
  secretOf: (provider: string, fingerprint: string) => string | undefined
  /** Every key of it. */
  secrets: () => readonly string[]
}

/** Stands in a plan where a key would, for a provider whose calls are signed by the function's role. */
const ROLE = 'role'

/** Keys given twice count once. A provider in `signed` that has no key of its own is called as the role. */
export function createKeyRing(
  providerKeys: ReadonlyMap<string, readonly string[]>,
  signed: readonly string[] = [],
): KeyRing {
  const rings = new Map(
    [...providerKeys].map(([provider, keys]) => [
      provider,
      new Map(keys.map(key => [keyFingerprint(key), key])),
    ]),
  )
  const roles = signed.filter(provider => !rings.get(provider)?.size)
  return {
    fingerprints: new Map([
      ...[...rings].map(([provider, ring]) => [provider, [...ring.keys()]] as const),
      ...roles.map(provider => [provider, [ROLE]] as const),
    ]),
    secretOf: (provider, fingerprint) => rings.get(provider)?.get(fingerprint),
    secrets: () => [...rings.values()].flatMap(ring => [...ring.values()]),
  }
}

/** Eight hex digits by which a key is known without being told. */
export function keyFingerprint(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}
