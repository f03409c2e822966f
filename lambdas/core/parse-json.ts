/** Parses, or gives undefined: upstream JSON is broken often enough that this is no exception. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
