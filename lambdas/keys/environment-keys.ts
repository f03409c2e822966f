import type { Environment } from '../config/environment.ts'
import { createClientOf } from './client-of.ts'
import { environmentKeyAdvice } from './key-advice.ts'
import { createKeyRing, keyFingerprint } from './key-ring.ts'
import type { KeySource } from './key-source.ts'
import { signedProviders } from './signed-providers.ts'

type Known = Pick<Environment, 'providerKeys' | 'clientKeys' | 'aws'> & {
  /** Providers that take a signature instead of a key; by default those of the catalogue. */
  signed?: readonly string[]
}

/** The keys that a process was started with: they never change. Without client keys any caller is accepted. */
export function environmentKeys({ providerKeys, clientKeys, aws, signed }: Known): KeySource {
  const ring = createKeyRing(providerKeys, signed ?? signedProviders(aws))
  // Here a client key has no name, so that its fingerprint stands in for one.
  const secrets = [...ring.secrets(), ...clientKeys]
  const clients = clientKeys.map(key => [`client-${keyFingerprint(key)}`, key] as const)
  return {
    ready: () => Promise.resolve(true),
    clientOf: clients.length > 0 ? createClientOf(clients) : null,
    ring: () => ring,
    secrets: () => secrets,
    advice: environmentKeyAdvice,
    refused: () => undefined,
    changed: () => undefined,
    settled: () => null,
  }
}
