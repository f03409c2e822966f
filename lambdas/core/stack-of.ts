/** Whatever was thrown, as the log has it. The message of a parser quotes what it could not read: only its place is told. */
export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack = message } = error
  if (!(error instanceof SyntaxError)) return stack
  return [name, ...stack.split('\n').filter(line => /^\s+at /.test(line))].join('\n')
}
