import type { Writable } from 'node:stream'
import type { FleetMemory } from '../engine/memory/fleet-memory.ts'
import type { KeySource } from '../keys/key-source.ts'
import type { ResponsePrelude, StreamingHandler } from '../platform/lambda-stream.ts'
import type { Handle } from './handle.ts'
import { send } from './send.ts'

export type FunctionUrlTools = {
  handle: Handle
  /** Sends the prelude and returns the stream that takes the body. */
  openResponse(stream: Writable, prelude: ResponsePrelude): Writable
  memory: Pick<FleetMemory, 'keysChangedAt' | 'settled'>
  /** What else writes to the table. */
  writers: readonly { settled(): Promise<void> | null }[]
  keys: Pick<KeySource, 'changed' | 'settled'>
  now(): number
}

/** What is kept of the platform's time for ending the answer and writing what was noted. */
const ENDING_MS = 1_500

/**
 * A Function URL handler in streaming mode. It resolves when the answer is sent and everything noted is written:
 * Lambda freezes the process the moment it does.
 */
export function functionUrlHandler(tools: FunctionUrlTools): StreamingHandler {
  const { handle, openResponse, memory, writers, keys, now } = tools
  const writing = [memory, keys, ...writers]
  return async (event, responseStream, context) => {
    const startedAt = now()
    const disconnect = new AbortController()
    responseStream.once('close', () => {
      if (!responseStream.writableFinished) disconnect.abort()
    })
    const endsAt = startedAt + context.getRemainingTimeInMillis() - ENDING_MS
    const reply = await handle(event, {
      client: disconnect.signal,
      startedAt,
      endsAt,
      shutdown: context.shutdown,
    })
    try {
      await send(reply, prelude => openResponse(responseStream, prelude))
    } finally {
      keys.changed(memory.keysChangedAt())
      const unsettled = writing.map(writer => writer.settled()).filter(work => work !== null)
      if (unsettled.length > 0) await Promise.all(unsettled)
    }
  }
}
