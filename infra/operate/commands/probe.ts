import { parseArgs } from 'node:util'
import { CommandError } from '../../terminal/command-error.ts'
import { findEndpoint } from '../fleet/find-endpoint.ts'
import { FLEET_OPTIONS, FLEET_USAGE } from '../fleet/fleet-options.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'
import { paintFor } from '../../terminal/paint.ts'
import { formatProbe, whyNoProbe } from '../views/probe-lines.ts'
import { runMain } from '../../terminal/run-main.ts'

const USAGE = `Usage: npm run probe -- [<endpoint>] [--force] [--stack NAME | --url URL]

  <endpoint>  name or ID of one endpoint to probe, whatever its state
  --force     probe every suspect or quarantined endpoint, due or not; by default, only those that are due

  A probe is one real request for one token. The exit code is 1 if a probe failed.

${FLEET_USAGE}`

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      force: { type: 'boolean', default: false },
      ...FLEET_OPTIONS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const [name, ...others] = positionals
  if (values.help) return (say(USAGE), 0)
  if (others.length > 0) throw new CommandError(USAGE)
  return withFleet(values, async fleet => {
    const endpoint = name === undefined ? null : findEndpoint(fleet.endpoints, name)
    const { force } = values
    const results = await fleet.probe(endpoint ? { force, endpoint: endpoint.id } : { force })
    const paint = paintFor(process.stdout)
    for (const result of results) say(formatProbe(result, paint))
    if (results.length > 0) return results.every(({ outcome }) => outcome === 'ok') ? 0 : 1
    say(whyNoProbe(await fleetTools(fleet), endpoint))
    return endpoint ? 1 : 0
  })
})
