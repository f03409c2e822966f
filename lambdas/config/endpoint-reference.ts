/** An endpoint reference split at its first slash; null where a half is missing. */
export function splitReference(reference: string): { provider: string; model: string } | null {
  const slash = reference.indexOf('/')
  if (slash <= 0 || slash === reference.length - 1) return null
  return { provider: reference.slice(0, slash), model: reference.slice(slash + 1) }
}
