import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { endpointOf } from '../fleet/find-endpoint.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'
import { paintFor } from '../../terminal/paint.ts'
import { formatProbe, whyNoProbe } from '../views/probe-lines.ts'

await runCommandLine(COMMANDS.probe, async ({ values, positionals, misuse }) => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const [name, ...others] = positionals
  if (others.length > 0) throw misuse('Name one endpoint, or none to probe all that are due.')
  return withFleet(values, async fleet => {
    const endpoint = name === undefined ? null : await endpointOf(fleet, name)
    const { force = false } = values
    const results = await fleet.probe(endpoint ? { force, endpoint: endpoint.id } : { force })
    const paint = paintFor(process.stdout)
    for (const result of results) say(formatProbe(result, paint))
    if (results.length > 0) return results.every(({ outcome }) => outcome === 'ok') ? 0 : 1
    say(whyNoProbe(await fleetTools(fleet), endpoint, fleet.call))
    return endpoint ? 1 : 0
  })
})
