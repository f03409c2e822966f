import { readEnvironment } from '../../../lambdas/config/environment.ts'
import { createClientOf } from '../../../lambdas/keys/client-of.ts'
import { environmentKeys } from '../../../lambdas/keys/environment-keys.ts'
import type { KeySource } from '../../../lambdas/keys/key-source.ts'

/** A name may hold what no header can. */
const keyOf = (name: string): string => `key-${Buffer.from(name).toString('hex')}`

/** Keys of callers as a secret names them. */
export const keysOf = (...names: readonly string[]): KeySource => ({
  ...environmentKeys(readEnvironment([], {})),
  clientOf: createClientOf(names.map(name => [name, keyOf(name)])),
})

/** The header that a caller sends. */
export const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${keyOf(name)}` })
