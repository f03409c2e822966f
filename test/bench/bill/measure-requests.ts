import { readFileSync } from 'node:fs'
import { chatEvent } from '../../runtime/chat-event.ts'
import { httpAnswer } from '../../runtime/http-answer.ts'
import type { LambdaInstance } from '../../runtime/lambda-instance.ts'
import type { Capacity, CapacityProxy } from './capacity-proxy.ts'
import type { PacedUpstream } from './paced-upstream.ts'

/** Of one request, on average; seconds of the clock, milliseconds of one core, bytes. */
export type RequestFigures = Capacity & {
  requests: number
  failedAttempts: number
  seconds: number
  cpuMs: number
  logBytes: number
  toClient: number
  toUpstream: number
}

/** Some thousand tokens of English. */
const PROMPT = 'The quick brown fox jumps over the lazy dog. '.repeat(100)
const TICK_MS = 10

/** Of a process so far, in milliseconds of one core. */
function cpuOf({ pid }: LambdaInstance): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** The most memory that a process has held, in megabytes. */
export function peakOf({ pid }: LambdaInstance): number {
  const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

export type Measured = { instances: readonly LambdaInstance[]; table: CapacityProxy; upstream: PacedUpstream }

/** Sends streamed requests to each instance, one after the other, as the platform does: until the time is over. */
export async function measureRequests(
  { instances, table, upstream }: Measured,
  answer: Parameters<PacedUpstream['play']>[0] & { forMs: number },
): Promise<RequestFigures> {
  const event = chatEvent({ stream: true, messages: [{ role: 'user', content: PROMPT }] })
  upstream.play(answer)
  const sum = { requests: 0, seconds: 0, toClient: 0 }
  const ask = async ({ api }: LambdaInstance, counts: boolean): Promise<void> => {
    const startedAt = performance.now()
    const answered = await api.invoke(event)
    const { status, body } = httpAnswer(answered)
    if (status !== 200) throw new Error(`No answer: ${status} ${body}`)
    if (!counts) return
    sum.requests += 1
    sum.seconds += (performance.now() - startedAt) / 1_000
    sum.toClient += answered.chunks.reduce((bytes, chunk) => bytes + chunk.bytes.length, 0)
  }
  await Promise.all(instances.map(instance => ask(instance, false)))
  table.take()
  upstream.take()
  const logged = (): number => instances.reduce((bytes, { output }) => bytes + output().length, 0)
  const cpu = (): number => instances.reduce((ms, instance) => ms + cpuOf(instance), 0)
  const [loggedBefore, cpuBefore] = [logged(), cpu()]
  const endsAt = performance.now() + answer.forMs
  await Promise.all(
    instances.map(async instance => {
      while (performance.now() < endsAt) await ask(instance, true)
    }),
  )
  const { requests } = sum
  const { received, failed } = upstream.take()
  const { reads, writes } = table.take()
  return {
    requests,
    failedAttempts: failed / requests,
    seconds: sum.seconds / requests,
    cpuMs: (cpu() - cpuBefore) / requests,
    logBytes: (logged() - loggedBefore) / requests,
    reads: reads / requests,
    writes: writes / requests,
    toClient: sum.toClient / requests,
    toUpstream: received / requests,
  }
}
