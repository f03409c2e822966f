import { orderSchema } from '../../local-contract.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { findGateway } from '../fleet/find-gateway.ts'
import { readAnswer } from '../fleet/read-answer.ts'
import type { FleetChoice } from '../fleet/fleet-options.ts'
import { withFleet } from '../fleet/fleet-tools.ts'
import { explainOrder } from '../views/explain-order.ts'
import { type FleetStatus, readFleetStatus, statusJson, statusLines } from '../views/fleet-status.ts'
import { paintFor } from '../../terminal/paint.ts'
import { recentFailures } from '../views/recent-failures.ts'
import { watchStatus } from '../views/watch-status.ts'

const USUAL_WIDTH = 120

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())

function textOf(
  status: FleetStatus,
  { json, watch, all }: { json: boolean; watch: boolean; all: boolean },
): string {
  if (json) return `${JSON.stringify(statusJson(status), null, watch ? undefined : 2)}\n`
  const width = process.stdout.columns ?? (Number(process.env.COLUMNS) || USUAL_WIDTH)
  const lines = statusLines(status, { now: Date.now(), width, paint: paintFor(process.stdout), all })
  return `${lines.join('\n')}\n`
}

async function explained(model: string, values: FleetChoice & { json: boolean }): Promise<string> {
  const address = await findGateway(values)
  const order = await readAnswer(address, `/v1/endpoints?model=${encodeURIComponent(model)}`, orderSchema)
  const text = values.json
    ? JSON.stringify(order, null, 2)
    : explainOrder(order, Date.now(), paintFor(process.stdout)).join('\n')
  return `${text}\n`
}

await runCommandLine(COMMANDS.status, async line => {
  const values = { json: false, watch: false, all: false, ...line.values }
  if (values.explain !== undefined) {
    process.stdout.write(await explained(values.explain, values))
    return 0
  }
  await withFleet(values, async fleet => {
    if (!values.watch) {
      process.stdout.write(textOf(await readFleetStatus(fleet), values))
      const failures = values.json ? [] : await recentFailures(values, Date.now(), paintFor(process.stdout))
      return void process.stdout.write(failures.map(text => `${text}\n`).join(''))
    }
    await watchStatus({
      read: () => readFleetStatus(fleet, interrupted.signal),
      textOf: status => textOf(status, values),
      separator: values.json ? '' : '\n',
      output: process.stdout,
      complain: text => process.stderr.write(text),
      redraw: process.stdout.isTTY === true && !values.json,
      signal: interrupted.signal,
    })
  })
  return 0
})
