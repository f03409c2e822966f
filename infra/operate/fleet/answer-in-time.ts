import { CommandError } from '../../terminal/command-error.ts'

/** For what a gateway answers from its memory. */
const ANSWER_MS = 10_000

/**
 * A call of a gateway, its answer's body included, that may take so long. Throws a CommandError that names the gateway
 * where the time is over.
 */
export async function answerInTime<Answer>(
  url: string,
  call: (signal: AbortSignal) => Promise<Answer>,
  { signal, limitMs = ANSWER_MS }: { signal?: AbortSignal | null | undefined; limitMs?: number } = {},
): Promise<Answer> {
  const limit = AbortSignal.timeout(limitMs)
  try {
    return await call(signal ? AbortSignal.any([signal, limit]) : limit)
  } catch (error) {
    if (!limit.aborted || signal?.aborted) throw error
    throw new CommandError(
      `The gateway at ${url} does not answer: it said nothing for ${limitMs / 1_000} s. ` +
        'Its log may say why; if it has stopped, start it again.',
      { cause: error },
    )
  }
}
