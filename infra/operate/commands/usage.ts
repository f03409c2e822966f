import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { readUsage } from '../../../lambdas/engine/callers/read-usage.ts'
import { withFleet } from '../fleet/fleet-tools.ts'
import { paintFor } from '../../terminal/paint.ts'
import { usageDays } from '../views/usage-days.ts'
import { groupUsage, parseGroup, sumOf } from '../views/usage-groups.ts'
import { usageTable } from '../views/usage-table.ts'

const USUAL_WIDTH = 80

await runCommandLine(COMMANDS.usage, async ({ values }) => {
  const by = parseGroup(values.by ?? 'caller')
  const days = usageDays(values, Date.now())
  await withFleet(values, async ({ store }) => {
    const sums = groupUsage(await readUsage(store, days.first, days.last), by)
    const view = { width: process.stdout.columns ?? USUAL_WIDTH, paint: paintFor(process.stdout) }
    const text = values.json
      ? JSON.stringify({ ...days, by, rows: sums, total: sumOf('total', sums) }, null, 2)
      : usageTable(sums, { by, days }, view).join('\n')
    process.stdout.write(`${text}\n`)
  })
  return 0
})
