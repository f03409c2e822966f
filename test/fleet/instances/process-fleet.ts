import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from '../../support/ask.ts'
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts'

/** Several frozen gateways over one table. */
export type ProcessFleet = AsyncDisposable & {
  processes: readonly GatewayProcess[]
  /** Serves these requests, each by the process that is free first. */
  serve(bodies: readonly object[]): Promise<readonly Answer[]>
  /** Lines of all processes about this event. */
  linesOf(event: string): readonly Record<string, unknown>[]
}

type Options = { size: number; configuration: object; dynamo: string; variables?: Record<string, string> }

/** Starts a fleet whose processes run only while they serve. */
export async function startProcessFleet(options: Options): Promise<ProcessFleet> {
  const { size, configuration, ...rest } = options
  const folder = await mkdtemp(join(tmpdir(), 'backstop-fleet-'))
  const config = join(folder, 'gateway.json')
  await writeFile(config, JSON.stringify(configuration))
  const processes = await Promise.all(
    Array.from({ length: size }, () => startGatewayProcess({ ...rest, config })),
  )
  for (const process of processes) process.freeze()
  return {
    processes,
    async serve(bodies) {
      const waiting = [...bodies.entries()]
      const answers: Answer[] = []
      const work = processes.map(async process => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const [index, body] = next
          answers[index] = await process.serve(body)
        }
      })
      await Promise.all(work)
      return answers
    },
    linesOf: event => processes.flatMap(({ lines }) => lines.filter(line => line.event === event)),
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map(process => process.kill()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
