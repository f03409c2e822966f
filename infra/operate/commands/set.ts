import { parseArgs } from 'node:util'
import { changeOverrides, overridesOf } from '../../../lambdas/engine/memory/change-overrides.ts'
import { FLEET_OPTIONS, FLEET_USAGE } from '../fleet/fleet-options.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'
import { overrideLines } from '../views/override-lines.ts'
import { paintFor } from '../../terminal/paint.ts'
import { parseAssignments } from '../views/parse-assignments.ts'
import { runMain } from '../../terminal/run-main.ts'

const USAGE = `Usage: npm run set -- [name=value …] [--stack NAME | --url URL]

  name=value  override a setting on every running gateway at once; several change together or not at all
  name=       remove an override

  Without arguments: list the overrides, each with the value that it replaces.

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
