import { healthOf, quarantineEndpoint } from '../../../lambdas/engine/operate/operate-endpoint.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { endpointOf } from '../fleet/find-endpoint.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'
import { byHandOf } from '../../../lambdas/core/health/health.ts'
import { oneLine } from '../../terminal/paint.ts'

// Every instance reads it with every look at the table.
const MAX_REASON_BYTES = 120

await runCommandLine(COMMANDS.quarantine, async ({ values, positionals, misuse }) => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0)
    throw misuse('Name one endpoint as npm run status shows it; a reason of several words needs quotes.')
  const { reason = '' } = values
  if (Buffer.byteLength(reason) > MAX_REASON_BYTES)
    throw new CommandError(`--reason is too long: at most ${MAX_REASON_BYTES} bytes.`)
  await withFleet(values, async fleet => {
    const endpoint = await endpointOf(fleet, name)
    const tools = await fleetTools(fleet)
    const before = healthOf(tools, endpoint)
    if (byHandOf(before) !== undefined) return say(`${endpoint.name}: already quarantined by hand`)
    await quarantineEndpoint(tools, endpoint, oneLine(reason))
    say(`${endpoint.name}: ${before.state} → quarantined by hand`)
    say(
      tools.settings().endpoint_health_disabled
        ? 'This has no effect while endpoint_health_disabled is on.'
        : `It gets no requests until you release it: ${fleet.call('release', endpoint.name)}`,
    )
  })
  return 0
})
