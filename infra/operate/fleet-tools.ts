import { createMemoryTools, type MemoryTools } from '../../lambdas/engine/memory-tools.ts'
import { systemClock } from '../../lambdas/platform/clock.ts'
import { StoreError } from '../../lambdas/store/store-error.ts'
import { CommandError, describeError } from './command-error.ts'
import { openFleet, type FleetChoice, type OpenFleet } from './open-fleet.ts'
import { readDotEnv } from './read-dot-env.ts'

const LOOK_MS = 10_000

/** The gateway's own tools for changing what is remembered, after a fresh look at the table. */
export async function fleetTools({ store, settings, endpoints }: OpenFleet): Promise<MemoryTools> {
  let failure: string | null = null
  const tools = createMemoryTools({
    store,
    settings,
    endpoints,
    keys: new Map(),
    clock: systemClock,
    log: line => {
      if ('error' in line) failure = String(line.error)
    },
  })
  await tools.view.current(LOOK_MS)
  if (tools.view.readAt === null) throw new StoreError(failure ?? 'reading the state took too long')
  return tools
}

/** Opens a fleet for one piece of work, and closes it. Throws a CommandError where its table cannot be used. */
export async function withFleet<Result>(
  choice: FleetChoice,
  work: (fleet: OpenFleet) => Promise<Result>,
): Promise<Result> {
  const fleet = await openFleet(choice, readDotEnv(process.cwd(), process.env))
  try {
    return await work(fleet)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const message = `The fleet's table at ${fleet.tableAt} cannot be used: ${describeError(error)}.`
    throw new CommandError(message, { cause: error })
  } finally {
    fleet.close()
  }
}
