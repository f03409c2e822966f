import type { Readable } from 'node:stream'
import type { Clock } from '../../platform/clock.ts'
import type { AnswerReader } from './answer-reader.ts'

const DRAIN_MS = 100

/** Lets the last bytes of a finished answer arrive, so that its socket can be used again; then lets go. */
export async function drainResponse(body: Readable, reader: AnswerReader, clock: Clock): Promise<void> {
  const ended = new AbortController()
  const discarded = reader.discardRest().then(() => ended.abort())
  await clock.sleep(DRAIN_MS, ended.signal)
  body.destroy()
  await discarded
}
