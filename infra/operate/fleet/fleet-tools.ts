import { createMemoryTools, type MemoryTools } from '../../../lambdas/engine/memory/memory-tools.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { StoreError } from '../../../lambdas/store/store-error.ts'
import { CommandError, describeError } from '../../terminal/command-error.ts'
import { fleetChoice, type FleetChoice } from './fleet-options.ts'
import { openFleet, type OpenFleet } from './open-fleet.ts'
import { readDotEnv } from '../../terminal/read-dot-env.ts'

const LOOK_MS = 10_000

/** The gateway's own tools for changing what is remembered, after a fresh look at the table. */
export async function fleetTools({ store, settings, endpoints }: OpenFleet): Promise<MemoryTools> {
  let failure: string | null = null
  const tools = createMemoryTools({
    store,
    settings,
    endpoints,
    keys: () => new Map(),
    clock: systemClock,
    log: line => {
      if ('error' in line) failure = line.error
    },
  })
  await tools.view.current(LOOK_MS)
  if (tools.view.readAt === null) throw new StoreError(failure ?? 'reading the state took too long')
  return tools
}

/** Opens a fleet for one piece of work, and closes it: the one place that knows how to find one. */
export async function withFleet<Result>(
  values: FleetChoice,
  work: (fleet: OpenFleet) => Promise<Result>,
): Promise<Result> {
  const choice = fleetChoice(values)
  if (choice.stack === undefined)
    return usingFleet(await openFleet(choice, readDotEnv(process.cwd(), process.env)), work)
  // Five clients of AWS take longer to load than most commands on this machine take to run.
  const { openStackFleet } = await import('./open-stack-fleet.ts')
  // What a .env file holds is about the gateway on this machine.
  return usingFleet(await openStackFleet(choice, process.env), work)
}

/** Does one piece of work, and closes the fleet. Throws a CommandError where its table cannot be used. */
export async function usingFleet<Result>(
  fleet: OpenFleet,
  work: (fleet: OpenFleet) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(fleet)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const message = `The state table at ${fleet.tableAt} cannot be used: ${describeError(error)}.`
    throw new CommandError(message, { cause: error })
  } finally {
    fleet.close()
  }
}
