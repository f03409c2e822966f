import { parseArgs } from 'node:util'
import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'
import { callGateway, readError } from './call-gateway.ts'
import { CommandError, describeError } from './command-error.ts'
import { explainRequest } from './explain-request.ts'
import { gatewayAddress } from './gateway-address.ts'
import { paintFor } from './paint.ts'
import { readDotEnv } from './read-dot-env.ts'

const USAGE = 'Usage: npm run why -- <request-id> [--url URL]   (the id is in the header x-request-id)'

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  const [requestId] = positionals
  if (values.help) return void process.stdout.write(`${USAGE}\n`)
  if (requestId === undefined) throw new CommandError(USAGE)
  const address = gatewayAddress(readDotEnv(process.cwd(), process.env), values.url)
  const response = await callGateway(address, `/local/requests/${encodeURIComponent(requestId)}`)
  if (!response.ok) throw new CommandError(await readError(response))
  const line = (await response.json()) as RequestCompleted
  process.stdout.write(`${explainRequest(line, paintFor(process.stdout)).join('\n')}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`)
  process.exitCode = 1
}
