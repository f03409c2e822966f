import { parseArgs } from 'node:util'
import { CommandError, describeError } from '../terminal/command-error.ts'
import { COMMANDS } from '../terminal/command-table.ts'
import { columnsOf, usageOf } from '../terminal/command-usage.ts'
import { paintFor } from '../terminal/paint.ts'
import { readDotEnv, readDotEnvText } from '../terminal/read-dot-env.ts'
import { takenByNpm } from '../terminal/taken-by-npm.ts'
import { trustExtraAuthorities } from '../terminal/trust-extra-authorities.ts'
import { keySlips } from './key-slips.ts'
import { loadConfig } from './load-config.ts'
import { createLineWriter } from '../terminal/line-writer.ts'
import { createLocalLog } from './local-log.ts'
import { createRequestMemory } from './request-memory.ts'
import { closeOnSignals } from './shutdown.ts'
import { startLocalGateway } from './start-local-gateway.ts'
import { startupBanner } from './startup-banner.ts'

const DEFAULT_PORT = '4141'
const HIGHEST_PORT = 65_535

async function main(): Promise<void> {
  const taken = takenByNpm(COMMANDS.start, { args: process.argv.slice(2), variables: process.env })
  if (taken !== null) throw new CommandError(taken)
  const { values } = parseArgs({
    options: { ...COMMANDS.start.options, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return console.log(usageOf(COMMANDS.start, columnsOf(process.stdout)))
  const isJson = values.json === true
  const people = isJson ? process.stderr : process.stdout
  const paint = paintFor(people)
  const tell = isJson ? console.error : console.log
  const memory = createRequestMemory()
  const environment = readDotEnv(process.cwd(), process.env)
  trustExtraAuthorities(environment)
  const { config, variables, lines } = await loadConfig(values.config, environment)
  if (lines.length > 0) tell(`${lines.join('\n')}\n`)
  const gateway = await startLocalGateway({
    config,
    variables,
    port: readPort(values.port ?? DEFAULT_PORT),
    ...(values.host !== undefined && { host: values.host }),
    memory,
    tableInThread: true,
    log: createLocalLog({
      memory,
      json: isJson,
      write: createLineWriter(lines => console.log(lines)),
      paint,
    }),
    onHandlerError: error => console.error(error),
  })
  closeOnSignals(gateway.close, tell)
  const { chains, keyed, warnings } = gateway.facts
  const providers = chains.flatMap(({ tiers }) =>
    tiers.flat().flatMap(found => (found.needsKey ? found.provider : [])),
  )
  const unkeyed = [...new Set([...providers, ...gateway.facts.simulated])].filter(
    provider => !keyed.has(provider),
  )
  const slips = keySlips({ unkeyed, providers, variables, dotEnvText: readDotEnvText(process.cwd()) })
  tell(startupBanner({ ...gateway.facts, warnings: [...warnings, ...slips] }, paint))
}

function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (port <= HIGHEST_PORT) return port
  throw new CommandError(`--port ${text}: expected a number from 0 to ${HIGHEST_PORT}.`)
}

try {
  await main()
} catch (error) {
  console.error(describeError(error))
  process.exitCode = 1
}
