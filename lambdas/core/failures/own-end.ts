import type { Failure } from './failure.ts'

const OWN_ENDS: ReadonlySet<string | null> = new Set([
  'BACKSTOP_SHUTDOWN',
  'BACKSTOP_DEADLINE',
  'BACKSTOP_INTERNAL',
])

/** The gateway itself ended the answer: neither the endpoint nor the client is to blame. */
export const isOwnEnd = ({ code }: Pick<Failure, 'code'>): boolean => OWN_ENDS.has(code)
