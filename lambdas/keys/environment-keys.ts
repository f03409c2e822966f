import { acceptsClientKey } from './accepts-client-key.ts'
import type { Environment } from '../config/environment.ts'
import { createKeyRing } from './key-ring.ts'
import type { KeySource } from './key-source.ts'
import { signedProviders } from './signed-providers.ts'

type Known = Pick<Environment, 'providerKeys' | 'clientKeys' | 'aws'>

/** The keys that a process was started with: they never change. Without client keys any caller is accepted. */
export function environmentKeys({ providerKeys, clientKeys, aws }: Known): KeySource {
  const ring = createKeyRing(providerKeys, signedProviders(aws))
  return {
    ready: () => Promise.resolve(true),
    acceptsClientKey: clientKeys.length > 0 ? acceptsClientKey(clientKeys) : null,
    ring: () => ring,
    refused: () => undefined,
    changed: () => undefined,
    settled: () => Promise.resolve(),
  }
}
