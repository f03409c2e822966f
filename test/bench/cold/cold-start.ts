import { chatEvent } from '../../runtime/chat-event.ts'
import { firstByteIndex, httpAnswer } from '../../runtime/http-answer.ts'
import type { LambdaInstance } from '../../runtime/lambda-instance.ts'
import { percentile } from '../percentile.ts'
import { processCpu } from './process-cpu.ts'

/** From the start of the process, in milliseconds. */
export type ColdStart = {
  /** Until it asks for its first event. */
  readyMs: number
  readyCpuMs: number
  /** Until the first byte of its first answer. */
  firstByteMs: number
  firstByteCpuMs: number
}

/** The share of a core that 512 MB come with, once the init phase is over. */
const CORES_AFTER_INIT = 0.29

/** Starts an instance, and asks it once. `before` runs when it has answered. */
export async function startOnce(
  starting: Promise<LambdaInstance>,
  beforeEnd?: () => Promise<void>,
): Promise<ColdStart> {
  await using instance = await starting
  const { api, pid, startedAt } = instance
  await api.ready()
  const [readyMs, readyCpuMs] = [performance.now() - startedAt, processCpu(pid)]
  const cpuAt: number[] = []
  const answered = await api.invoke(chatEvent({ stream: true }), {
    onChunk: () => cpuAt.push(processCpu(pid)),
  })
  const { status, body } = httpAnswer(answered)
  if (status !== 200) throw new Error(`no answer: ${body}`)
  const first = firstByteIndex(answered)
  await beforeEnd?.()
  return {
    readyMs,
    readyCpuMs,
    firstByteMs: (answered.chunks[first]?.at ?? Number.NaN) - startedAt,
    firstByteCpuMs: cpuAt[first] ?? Number.NaN,
  }
}

export function medianStart(sample: readonly ColdStart[]): ColdStart {
  const median = (of: keyof ColdStart): number =>
    percentile(
      sample.map(start => start[of]),
      0.5,
    )
  return {
    readyMs: median('readyMs'),
    readyCpuMs: median('readyCpuMs'),
    firstByteMs: median('firstByteMs'),
    firstByteCpuMs: median('firstByteCpuMs'),
  }
}

/** How long the first answer takes at the least after the init phase: its CPU time on the share of a core. */
export const firstAnswerMs = ({ firstByteCpuMs, readyCpuMs }: ColdStart): number =>
  (firstByteCpuMs - readyCpuMs) / CORES_AFTER_INIT
