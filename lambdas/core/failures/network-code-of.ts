const DEPTH_LIMIT = 8
const VISIT_LIMIT = 32

/**
 * Finds the code that tells why a call failed, wherever it hides: `fetch failed` keeps it in `cause`, a dual-stack
 * connect in the `errors` of an AggregateError.
 * @returns the deepest cause's code, else a telling error name, else null; never throws, cycles included
 */
export function networkCodeOf(error: unknown): string | null {
  const queue: { value: unknown; depth: number }[] = [{ value: error, depth: 0 }]
  const seen = new Set<object>()
  let found: { code: string; depth: number } | null = null
  let name: string | null = null
  while (queue.length > 0 && seen.size < VISIT_LIMIT) {
    const next = queue.shift()
    if (!next || typeof next.value !== 'object' || next.value === null || seen.has(next.value)) continue
    seen.add(next.value)
    const code = read(next.value, 'code')
    if (typeof code === 'string' && code !== '' && (!found || next.depth > found.depth)) {
      found = { code, depth: next.depth }
    }
    const ownName = read(next.value, 'name')
    if (ownName === 'AbortError') name = 'ABORT_ERR'
    if (ownName === 'TimeoutError') name ??= 'ETIMEDOUT'
    if (next.depth >= DEPTH_LIMIT) continue
    queue.push({ value: read(next.value, 'cause'), depth: next.depth + 1 })
    const errors = read(next.value, 'errors')
    if (Array.isArray(errors)) {
      for (const one of errors.slice(0, VISIT_LIMIT)) queue.push({ value: one, depth: next.depth + 1 })
    }
  }
  return found?.code ?? name
}

function read(holder: object, property: string): unknown {
  try {
    // A getter or a proxy of a foreign error class may throw.
    return Reflect.get(holder, property)
  } catch {
    return undefined
  }
}
