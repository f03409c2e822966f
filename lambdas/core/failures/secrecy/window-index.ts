/** Stretches of one length, to be found in other texts in linear time. */
export type WindowIndex = {
  readonly size: number
  /** Takes in every stretch of a text, or those that `isWanted`. */
  add(bytes: Uint8Array, isWanted?: (window: string) => boolean): void
  /** Calls back for each place where one of them stands. */
  find(bytes: Uint8Array, found: (at: number, window: string) => void): void
}

const FACTOR = 0x01000193
const FILTER_BITS = 16

/** `factor` to the power of `size`, in 32 bits. */
function powerOf(factor: number, size: number): number {
  let power = 1
  for (let count = 0; count < size; count += 1) power = Math.imul(power, factor)
  return power
}

export function createWindowIndex(size: number): WindowIndex {
  const windows = new Set<string>()
  // Most stretches are told from all of these by a hash that rolls along.
  const filter = new Uint8Array(1 << FILTER_BITS)
  const leaving = powerOf(FACTOR, size)
  const bucketOf = (hash: number): number => (hash ^ (hash >>> FILTER_BITS)) & (filter.length - 1)
  const windowAt = (bytes: Uint8Array, at: number): string =>
    String.fromCharCode(...bytes.subarray(at, at + size))

  function roll(bytes: Uint8Array, visit: (at: number, bucket: number) => void): void {
    let hash = 0
    for (let end = 0; end < bytes.length; end += 1) {
      hash = (Math.imul(hash, FACTOR) + (bytes[end] ?? 0) + 1) | 0
      if (end >= size) hash = (hash - Math.imul((bytes[end - size] ?? 0) + 1, leaving)) | 0
      if (end >= size - 1) visit(end - size + 1, bucketOf(hash))
    }
  }

  return {
    size,
    add(bytes, isWanted = () => true) {
      roll(bytes, (at, bucket) => {
        const window = windowAt(bytes, at)
        if (!isWanted(window)) return
        windows.add(window)
        filter[bucket] = 1
      })
    },
    find(bytes, found) {
      if (windows.size === 0) return
      roll(bytes, (at, bucket) => {
        if (filter[bucket] === 0) return
        const window = windowAt(bytes, at)
        if (windows.has(window)) found(at, window)
      })
    },
  }
}
