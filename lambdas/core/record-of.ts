/** An object with one value for each of these names. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  // The compiler cannot see that every name gets its entry.
  const record = {} as Record<Name, Value>
  for (const name of names) record[name] = valueOf(name)
  return record
}
