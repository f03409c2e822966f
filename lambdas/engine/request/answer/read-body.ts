import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AnswerLimitError } from '../../../core/answers/answer-limits.ts'
import type { AnswerPart, StreamFault } from '../../../core/answers/stream-reader.ts'
import { EventTooLargeError } from '../../../sse/event-reader.ts'
import { UpstreamError } from '../upstream/upstream-error.ts'
import { readPrefix, type Chunks } from './read-prefix.ts'

/** Turns what the upstream said into the error to throw. */
export type Refuse = (body: string, inStream: boolean) => Error

/** What some bytes brought, and the error that came behind it. */
export type Accepted = {
  parts: readonly AnswerPart[]
  error: unknown
  /** What comes behind these bytes is no part of the answer. */
  ended: boolean
}

/** What becomes of the bytes of an answer, as events or whole. */
export type BodySource = {
  events(bytes: Buffer): Promise<Accepted>
  /** What is left when the last bytes have come. */
  rest(): Promise<Accepted>
  whole(first: Buffer, chunks: Chunks): Promise<readonly AnswerPart[]>
}

export type BodyReader = {
  /** The next parts, at least one; null at the end. Throws the error that came behind them, or as the body does. */
  next(): Promise<readonly AnswerPart[] | null>
  /** Nothing more is wanted of it. */
  end(): void
  /** Reads what comes behind the answer and forgets it, so that the socket can be used again. Never rejects. */
  discardRest(): Promise<void>
  /** It is a stream that has not ended. */
  isStreaming(): boolean
}

export function errorOf(fault: StreamFault, refuse: Refuse): Error {
  if (fault.kind === 'refused') return refuse(fault.words, true)
  return new UpstreamError(fault.kind === 'cut' ? 'BACKSTOP_TRUNCATED' : 'BACKSTOP_MALFORMED')
}

const isTooMuch = (error: unknown): boolean =>
  error instanceof AnswerLimitError || error instanceof EventTooLargeError || error instanceof RangeError

/** What is larger than any answer, as the error that it is; any other one as it came. */
export const limitError = (error: unknown): unknown =>
  isTooMuch(error) ? new UpstreamError('BACKSTOP_ANSWER_TOO_LARGE') : error

/** Reads a long event so that other requests go on before and after it. */
export async function inTurns<Result>(read: () => Result): Promise<Result> {
  await nextTurn()
  const result = read()
  await nextTurn()
  return result
}

/** Pulls the bytes of one answer, finds out what they are, and hands them on. */
export function createBodyReader(body: Readable, source: BodySource): BodyReader {
  const chunks: Chunks = body.iterator()
  let mode: 'unknown' | 'events' | 'ended' = 'unknown'
  let pending: unknown = null

  /** How the network cut the bytes must not decide whether output before an error is seen. */
  function give({ parts, error, ended }: Accepted): readonly AnswerPart[] {
    if (ended) mode = 'ended'
    if (error === null) return parts
    if (parts.length === 0) throw error
    pending = error
    return parts
  }

  async function read(): Promise<readonly AnswerPart[] | null> {
    if (pending) throw pending
    if (mode === 'ended') return null
    if (mode === 'events') {
      const { value } = await chunks.next()
      return give(value ? await source.events(value) : await source.rest())
    }
    const { isEvents, bytes } = await readPrefix(chunks)
    mode = isEvents ? 'events' : 'ended'
    return isEvents ? give(await source.events(bytes)) : source.whole(bytes, chunks)
  }

  return {
    async next() {
      for (;;) {
        const parts = await read()
        if (parts === null || parts.length > 0) return parts
      }
    },
    end() {
      mode = 'ended'
      pending = null
    },
    async discardRest() {
      try {
        while ((await chunks.next()).value) continue
      } catch {
        // Nothing is lost: the answer was complete before.
      }
    },
    isStreaming: () => mode === 'events',
  }
}
