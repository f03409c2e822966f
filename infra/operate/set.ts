import { parseArgs } from 'node:util'
import { changeOverrides, overridesOf } from '../../lambdas/engine/change-overrides.ts'
import { FLEET_OPTIONS, FLEET_USAGE } from './fleet-options.ts'
import { fleetTools, withFleet } from './fleet-tools.ts'
import { overrideLines } from './override-lines.ts'
import { paintFor } from './paint.ts'
import { parseAssignments } from './parse-assignments.ts'
import { runMain } from './run-main.ts'

const USAGE = `Usage: npm run set -- [name=value …] [--stack NAME | --url URL]

  name=value  overrides a setting for the whole fleet, at once; several are set together or not at all
  name=       removes an override

  Without any: the overrides in force, beside the values they override.

${FLEET_USAGE}`

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...FLEET_OPTIONS, help: { type: 'boolean', short: 'h' } },
  })
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  if (values.help) return (say(USAGE), 0)
  await withFleet(values, async fleet => {
    const tools = await fleetTools(fleet)
    const changes = parseAssignments(positionals, Object.keys(overridesOf(tools)))
    const overrides = changes.size > 0 ? await changeOverrides(tools, changes) : overridesOf(tools)
    for (const line of overrideLines(overrides, fleet.settings, paintFor(process.stdout))) say(line)
  })
  return 0
})
