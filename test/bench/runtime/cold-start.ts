import { chatEvent } from '../../runtime/chat-event.ts'
import type { Cloud } from '../../runtime/cloud.ts'
import { firstByteAt, httpAnswer } from '../../runtime/http-answer.ts'
import { startInstance, type LambdaInstance } from '../../runtime/lambda-instance.ts'
import { percentile } from '../percentile.ts'

const ROUNDS = 15

/** From the start of the process, in milliseconds. */
export type ColdStart = {
  /** Until it asks for its first event. */
  ready: number
  /** Until the first byte of its first answer. */
  firstByte: number
}

async function startOnce(starting: Promise<LambdaInstance>): Promise<ColdStart> {
  await using instance = await starting
  const { api, startedAt } = instance
  await api.ready()
  const ready = performance.now() - startedAt
  const answered = await api.invoke(chatEvent({ stream: true }))
  const { status, body } = httpAnswer(answered)
  if (status !== 200) throw new Error(`no answer: ${body}`)
  return { ready, firstByte: firstByteAt(answered) - startedAt }
}

const median = (sample: readonly ColdStart[]): ColdStart => ({
  ready: percentile(
    sample.map(({ ready }) => ready),
    0.5,
  ),
  firstByte: percentile(
    sample.map(({ firstByte }) => firstByte),
    0.5,
  ),
})

/** Medians of runs that alternate, so that what the machine does meanwhile touches both alike. */
export async function coldStart(
  cloud: Cloud,
  hello: string,
): Promise<{ hello: ColdStart; gateway: ColdStart }> {
  const samples = { hello: [] as ColdStart[], gateway: [] as ColdStart[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.hello.push(await startOnce(startInstance(hello)))
    samples.gateway.push(await startOnce(cloud.start('Gateway')))
  }
  return { hello: median(samples.hello), gateway: median(samples.gateway) }
}
