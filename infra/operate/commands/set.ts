import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { changeOverrides, overridesOf } from '../../../lambdas/engine/memory/change-overrides.ts'
import { fleetTools, withFleet } from '../fleet/fleet-tools.ts'
import { overrideLines } from '../views/override-lines.ts'
import { paintFor } from '../../terminal/paint.ts'
import { parseAssignments } from '../views/parse-assignments.ts'
import { settingLines, settingRows } from '../views/setting-list.ts'

await runCommandLine(COMMANDS.set, async ({ values, positionals }) => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  await withFleet(values, async fleet => {
    const tools = await fleetTools(fleet)
    const changes = parseAssignments(positionals, Object.keys(overridesOf(tools)))
    const overrides = changes.size > 0 ? await changeOverrides(tools, changes) : overridesOf(tools)
    const paint = paintFor(process.stdout)
    const rows = settingRows(overrides, fleet.settings)
    if (values.json) return say(JSON.stringify(rows, null, 2))
    if (changes.size === 0) for (const line of [...settingLines(rows, paint), '']) say(line)
    for (const line of overrideLines(overrides, fleet.settings, paint)) say(line)
  })
  return 0
})
