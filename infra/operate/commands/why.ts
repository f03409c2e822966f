import { parseArgs } from 'node:util'
import { type CompletedLine, completedLineSchema } from '../../local-contract.ts'
import { readAnswer } from '../fleet/read-answer.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { explainRequest } from '../../explain/explain-request.ts'
import { findGateway } from '../fleet/find-gateway.ts'
import { FLEET_OPTIONS, FLEET_USAGE, fleetChoice, type FleetChoice } from '../fleet/fleet-options.ts'
import { paintFor } from '../../terminal/paint.ts'
import { runMain } from '../../terminal/run-main.ts'

const USAGE = `Usage: npm run why -- <request-id> [--stack NAME [--hours N] | --url URL]

  The ID is in the response header x-request-id. A local gateway remembers its last 1,000 requests. For a stack,
  its log is searched; a new request appears there after a few seconds.

${FLEET_USAGE}
  --hours N     how far back to search the log of the stack; 24 by default`
const HOUR_MS = 3_600_000

async function readRemembered(choice: FleetChoice, requestId: string): Promise<CompletedLine> {
  const address = await findGateway(choice)
  return readAnswer(address, `/local/requests/${encodeURIComponent(requestId)}`, completedLineSchema)
}

async function readLogged(choice: FleetChoice, requestId: string, hours: number): Promise<CompletedLine> {
  // Loaded where it is needed: clients of AWS take their time.
  const { findLoggedRequest } = await import('../fleet/find-logged-request.ts')
  const { findStack } = await import('../fleet/find-stack.ts')
  const stack = await findStack(choice, process.env)
  const line = await findLoggedRequest(stack, { requestId, since: Date.now() - hours * HOUR_MS })
  if (line) return line
  throw new CommandError(
    `No request with this ID in the log of '${stack.name}' within the last ${hours} hours. ` +
      'A new request appears after a few seconds; --hours N searches further back.',
  )
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...FLEET_OPTIONS,
      hours: { type: 'string', default: '24' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [requestId, ...others] = positionals
  if (values.help) return (process.stdout.write(`${USAGE}\n`), 0)
  if (requestId === undefined || others.length > 0) throw new CommandError(USAGE)
  const choice = fleetChoice(values)
  const hours = Number(values.hours)
  if (!(hours > 0)) throw new CommandError('--hours: expected a number of hours, such as 24.')
  const line = await (choice.stack === undefined
    ? readRemembered(choice, requestId)
    : readLogged(choice, requestId, hours))
  process.stdout.write(`${explainRequest(line, paintFor(process.stdout)).join('\n')}\n`)
  return 0
})
