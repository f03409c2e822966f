import { readEnvironment } from '../../../lambdas/config/environment.ts'
import { createClientOf } from '../../../lambdas/keys/client-of.ts'
import { environmentKeys } from '../../../lambdas/keys/environment-keys.ts'
import type { KeySource } from '../../../lambdas/keys/key-source.ts'

/** Keys of callers as a secret names them: each of these names is its own key. */
export const keysOf = (...names: readonly string[]): KeySource => ({
  ...environmentKeys(readEnvironment([], {})),
  clientOf: createClientOf(names.map(name => [name, name])),
})

/** The header that a caller sends. */
export const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${name}` })
