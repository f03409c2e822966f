import type { Readable } from 'node:stream'
import type { Clock } from '../../../platform/clock.ts'
import type { AnswerReader } from './answer-reader.ts'

/**
 * The body of a refusal as text, at most `maxBytes` of it. A body that stalls or breaks counts as far as it came:
 * the status and the headers have already said more than the break does. Never rejects.
 */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    const chunks: AsyncIterable<Buffer> = body
    for await (const part of chunks) {
      parts.push(part)
      size += part.length
      if (size >= maxBytes) break
    }
  } catch {
    // What was read is judged with the status.
  }
  return Buffer.concat(parts).toString('utf8')
}

const DRAIN_MS = 100

/** Lets the last bytes of a finished answer arrive, so that its socket can be used again; then lets go. */
export async function drainResponse(body: Readable, reader: AnswerReader, clock: Clock): Promise<void> {
  if (body.readableEnded) return
  const cancel = clock.after(DRAIN_MS, () => void body.destroy())
  await reader.discardRest()
  cancel()
  body.destroy()
}
