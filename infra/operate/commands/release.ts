import { closeBreaker, releaseEndpoint } from '../../../lambdas/engine/operate/operate-endpoint.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { endpointOf, findProvider } from '../fleet/find-endpoint.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'

const counted = (count: number): string =>
  count === 0 ? '' : `; ${count === 1 ? '1 cooldown' : `${count} cooldowns`} cleared`

await runCommandLine(COMMANDS.release, async ({ values, positionals, misuse }) => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const [name, ...others] = positionals
  if (others.length > 0 || (name === undefined && values.provider === undefined))
    throw misuse('Name one endpoint as npm run status shows it, or a provider with --provider.')
  await withFleet(values, async fleet => {
    const endpoint = name === undefined ? null : await endpointOf(fleet, name)
    const provider = values.provider === undefined ? null : findProvider(fleet, values.provider)
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
