import type { Readable } from 'node:stream'
import { CommandError } from '../../terminal/command-error.ts'

export type PipeLimits = {
  /** For the first byte: whoever starts a command with a pipe that nobody writes to must get an answer too. */
  firstMs: number
  /** Between two pieces. */
  stallMs: number
  mostBytes: number
}

export const PIPE_LIMITS: PipeLimits = { firstMs: 3_000, stallMs: 30_000, mostBytes: 4 * 1024 * 1024 }

/** What is piped in, to its end; null = nothing is. Throws where it is too long, or stops in the middle. */
export function readPipedText(input: Readable, limits: PipeLimits = PIPE_LIMITS): Promise<string | null> {
  const { firstMs, stallMs, mostBytes } = limits
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const parts: Buffer[] = []
  let size = 0
  let timer = setTimeout(resolve, firstMs, null)
  input.on('data', (part: Buffer | string) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      reject(new CommandError(`What is piped in has not ended: nothing came for ${stallMs / 1_000} s.`))
    }, stallMs)
    parts.push(Buffer.from(part))
    size += part.length
    if (size > mostBytes)
      reject(new CommandError(`More than ${mostBytes / 1024 ** 2} MB are piped in. Send less.`))
  })
  input.once('error', reject)
  input.once('end', () => resolve(Buffer.concat(parts).toString().trim() || null))
  return promise.finally(() => {
    clearTimeout(timer)
    input.removeAllListeners('data')
    // One that stays open would keep the command running.
    input.destroy()
  })
}
