import { createHash, timingSafeEqual } from 'node:crypto'

/** The name of the client that a presented key belongs to; null where it is none of these keys. */
export type ClientOf = (presented: string) => string | null

/**
 * Finds the client of a presented key. Hashes are compared, each in constant time and all of them, so that the
 * time tells neither how much of a key was right nor which one it was. Of a key with two names the first one counts.
 * @param clients pairs of name and key
 */
export function createClientOf(clients: readonly (readonly [name: string, key: string])[]): ClientOf {
  const known = clients.map(([name, key]) => ({ name, hash: hash(key) }))
  return presented => {
    const offered = hash(presented)
    return known.reduceRight<string | null>(
      (found, client) => (timingSafeEqual(client.hash, offered) ? client.name : found),
      null,
    )
  }
}

const hash = (key: string): Buffer => createHash('sha256').update(key).digest()
