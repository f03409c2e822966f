import { parseArgs } from 'node:util'
import { closeBreaker, releaseEndpoint } from '../../../lambdas/engine/operate/operate-endpoint.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { findEndpoint, findProvider } from '../fleet/find-endpoint.ts'
import { FLEET_OPTIONS, FLEET_USAGE } from '../fleet/fleet-options.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'
import { runMain } from '../../terminal/run-main.ts'

const USAGE = `Usage: npm run release -- <endpoint> [--provider NAME] [--stack NAME | --url URL]

  <endpoint>       name or ID; healthy again at once, with its failure counts and cooldowns cleared
  --provider NAME  close the breaker of a provider; with or without an endpoint

${FLEET_USAGE}`

const counted = (count: number): string =>
  count === 0 ? '' : `; ${count === 1 ? '1 cooldown' : `${count} cooldowns`} cleared`

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      provider: { type: 'string' },
      ...FLEET_OPTIONS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const [name, ...others] = positionals
  if (values.help) return (say(USAGE), 0)
  if (others.length > 0 || (name === undefined && values.provider === undefined))
    throw new CommandError(USAGE)
  await withFleet(values, async fleet => {
    const endpoint = name === undefined ? null : findEndpoint(fleet.endpoints, name)
    const provider = values.provider === undefined ? null : findProvider(fleet.endpoints, values.provider)
    const tools = await fleetTools(fleet)
    if (provider !== null) {
      const closed = await closeBreaker(tools, provider)
      say(`${provider}: breaker ${closed ? 'closed' : 'already closed'}`)
    }
    if (endpoint) {
      const { from, cooldowns } = await releaseEndpoint(tools, endpoint)
      say(
        `${endpoint.name}: ${from === 'healthy' ? 'already healthy' : `${from} → healthy`}${counted(cooldowns)}`,
      )
    }
  })
  return 0
})
