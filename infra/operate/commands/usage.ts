import { parseArgs } from 'node:util'
import { readUsage } from '../../../lambdas/engine/callers/read-usage.ts'
import { FLEET_OPTIONS, FLEET_USAGE } from '../fleet/fleet-options.ts'
import { withFleet } from '../fleet/fleet-tools.ts'
import { paintFor } from '../../terminal/paint.ts'
import { runMain } from '../../terminal/run-main.ts'
import { usageDays } from '../views/usage-days.ts'
import { groupUsage, parseGroup, sumOf } from '../views/usage-groups.ts'
import { usageTable } from '../views/usage-table.ts'

const USAGE = `Usage: npm run usage -- [--by caller|model|endpoint|day] [--days N | --month YYYY-MM] [--json]
                        [--stack NAME | --url URL]

  --by NAME      sum up by caller (default), model, endpoint or day
  --days N       the last N days of UTC, with today; 7 by default
  --month MONTH  a whole month, such as 2026-11; 13 months are kept
  --json         print the sums, and the total, as JSON

${FLEET_USAGE}`
const USUAL_WIDTH = 80

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      by: { type: 'string', default: 'caller' },
      days: { type: 'string' },
      month: { type: 'string' },
      json: { type: 'boolean', default: false },
      ...FLEET_OPTIONS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const by = parseGroup(values.by)
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
