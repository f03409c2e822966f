import { healthOf, quarantineEndpoint } from '../../../lambdas/engine/operate/operate-endpoint.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { findEndpoint } from '../fleet/find-endpoint.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'
import { formatSpan } from '../../../lambdas/core/format-span.ts'

// What an item keeps of a failure is 300 bytes.
const MAX_REASON_BYTES = 250

await runCommandLine(COMMANDS.quarantine, async ({ values, positionals, misuse }) => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0)
    throw misuse('Name one endpoint as npm run status shows it; a reason of several words needs quotes.')
  const { reason = '' } = values
  if (Buffer.byteLength(reason) > MAX_REASON_BYTES)
    throw new CommandError(`--reason is too long: at most ${MAX_REASON_BYTES} bytes.`)
  await withFleet(values, async fleet => {
    const endpoint = findEndpoint(fleet.endpoints, name)
    const tools = await fleetTools(fleet)
    const { state: from } = healthOf(tools, endpoint)
    if (from === 'quarantined') return say(`${endpoint.name}: already quarantined`)
    const message = reason === '' ? 'quarantined by hand' : `by hand: ${reason}`
    const health = await quarantineEndpoint(tools, endpoint, message)
    say(`${endpoint.name}: ${from} → ${health.state}`)
    const { endpoint_health_disabled, endpoint_probes_disabled } = tools.settings()
    if (endpoint_health_disabled) say('This has no effect while endpoint_health_disabled is on.')
    else if (health.state === 'quarantined') {
      const due = formatSpan(health.probe.dueAt - tools.clock.now())
      say(
        endpoint_probes_disabled
          ? 'It stays quarantined until it is released: endpoint_probes_disabled is on.'
          : `Next probe in ${due}; it is released as soon as a probe succeeds.`,
      )
    }
  })
  return 0
})
