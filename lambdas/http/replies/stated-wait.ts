import { ERROR_CODES, type FinalError } from '../../core/routing/error-codes.ts'

/** The longest wait, in milliseconds, that is told to a client which waits by itself, and in silence. */
const PATIENCE_MS = 10_000

/** A client that obeys `Retry-After` and nothing that would tell it to stop. */
type WaitingClient = {
  agent: RegExp
  /** After a 5xx it waits so often that even a short wait keeps its user for a minute. */
  onlyForLimits?: boolean
}

const WAITING_CLIENTS: readonly WaitingClient[] = [
  // Thirty times after a 5xx, and five times after a 429.
  { agent: /^codex/i, onlyForLimits: true },
  // Twice, and opencode and Cline, which are built on it, many times more.
  { agent: /\bai-sdk\//i },
  // Six times.
  { agent: /^langchain/i },
]

/**
 * How long a client is told to wait, in milliseconds; null = not at all, so that it shows our message soon. What is not
 * told in the header still stands in the message.
 * @param userAgent as the client sent it
 */
export function statedWait(
  { code, retryAfterMs }: Pick<FinalError, 'code' | 'retryAfterMs'>,
  userAgent: string,
): number | null {
  const client = WAITING_CLIENTS.find(({ agent }) => agent.test(userAgent))
  if (retryAfterMs === null || !client) return retryAfterMs
  const isTold = ERROR_CODES[code].status === 429 || client.onlyForLimits !== true
  return isTold && retryAfterMs <= PATIENCE_MS ? retryAfterMs : null
}
