import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * A test for presented client keys. Hashes are compared, each in constant time and all of them, so that the
 * time tells neither how much of a key was right nor which one it was. Without keys nothing is accepted.
 */
export function acceptsClientKey(clientKeys: readonly string[]): (presented: string) => boolean {
  const accepted = clientKeys.map(hash)
  return presented => {
    const offered = hash(presented)
    return accepted.reduce((found, key) => timingSafeEqual(key, offered) || found, false)
  }
}

const hash = (key: string): Buffer => createHash('sha256').update(key).digest()
