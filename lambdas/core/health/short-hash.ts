/** FNV-1a over UTF-16 units, 32 bits: spreads names, and tells a few of them apart. */
export function shortHash(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** Four hex digits that stand for a model in the counters of its provider. */
export const modelTag = (endpoint: string): string =>
  (shortHash(endpoint) & 0xffff).toString(16).padStart(4, '0')
