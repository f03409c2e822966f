import type { AwsIdentity } from '../config/environment.ts'
import type { KeySource } from './key-source.ts'

/**
 * Every key that no upstream's words may show: those of providers and clients, and what this process signs requests
 * with. Who compares signatures quotes what was signed, the session's token with it.
 */
export function secretsInUse(
  keys: Pick<KeySource, 'secrets'>,
  { credentials }: AwsIdentity,
): () => readonly string[] {
  const signing = credentials === null ? [] : Object.values(credentials)
  return () => [...keys.secrets(), ...signing]
}
