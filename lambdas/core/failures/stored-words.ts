import type { Failure } from './failure.ts'
import { withoutEcho } from './secrecy/without-echo.ts'

/** What may be stored of a failure's words; null = nothing. A failure that no client's request led to quotes none. */
export const storedWords = ({ stored, message }: Pick<Failure, 'stored' | 'message'>): string | null =>
  stored === undefined ? message : stored

/**
 * A failure with the words of it that may be stored, logged and shown to others: neither what they quote of the
 * request, nor an answer that could not be read.
 * @param bodies of the request: the client's own, and what it was translated to
 */
export function withStoredWords(failure: Failure, ...bodies: readonly unknown[]): Failure {
  const { kind, code, status, message } = failure
  const mayBeAnswer = kind === 'malformed_response' && code === null && status !== null && status < 300
  return { ...failure, stored: mayBeAnswer ? null : withoutEcho(message, ...bodies) }
}
