/** Deeper than any configuration that people write, and far from where a reader runs out of stack. */
const DEEPEST = 100

export const TOO_DEEP = `its values are nested more than ${DEEPEST} deep`

/** Throws where a value holds itself, as an anchor of YAML can, or is nested so deeply that its readers would fail. */
export function checkNesting(value: unknown): void {
  const around = new Set<unknown>()
  // An anchor is one object wherever it is used, and is looked at once for each depth at which it may be too deep.
  const deepest = new Map<unknown, number>()
  function look(inner: unknown, depth: number): void {
    if (typeof inner !== 'object' || inner === null) return
    if (around.has(inner)) throw new Error('an anchor is used within itself')
    if (depth > DEEPEST) throw new Error(TOO_DEEP)
    if ((deepest.get(inner) ?? 0) >= depth) return
    deepest.set(inner, depth)
    around.add(inner)
    for (const next of Object.values(inner)) look(next, depth + 1)
    around.delete(inner)
  }
  look(value, 1)
}
