/** Thrown where a command cannot go on for a reason that its user can act on; shown without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** One line for the terminal, whatever was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
