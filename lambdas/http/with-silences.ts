/** Nothing has come for a while. */
export type Silence = { kind: 'silence' }

const SILENCE: Silence = { kind: 'silence' }

/**
 * The same values, and a silence whenever none has come for `ms`. What waits for a value when the reader leaves is not
 * waited for: whoever owns the source ends it.
 * @param after calls back once after `ms`; returns what cancels it
 */
export async function* withSilences<Value>(
  values: AsyncIterable<Value>,
  ms: number,
  after: (ms: number, callback: () => void) => () => void,
): AsyncGenerator<Value | Silence, void, undefined> {
  const source = values[Symbol.asyncIterator]()
  try {
    for (let next = source.next(); ;) {
      const { promise: silence, resolve } = Promise.withResolvers<Silence>()
      const cancel = after(ms, () => resolve(SILENCE))
      const result = await Promise.race([next, silence]).finally(cancel)
      if ('kind' in result) {
        yield result
        continue
      }
      if (result.done) return
      yield result.value
      next = source.next()
    }
  } finally {
    void source.return?.()
  }
}
