import { RESPONSE_HEADERS } from '../../../lambdas/contract.ts'
import { formatDollars } from '../../../lambdas/core/format-dollars.ts'
import { isJsonObject, parseJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { createEventReader } from '../../../lambdas/sse/event-reader.ts'
import { callGateway, errorMessage, readError } from '../fleet/call-gateway.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { GatewayAddress } from '../fleet/gateway-address.ts'
import type { AskedSurface } from './ask-surfaces.ts'
import { formatHop, parseChain } from '../../terminal/hop.ts'
import { type Paint, printable } from '../../terminal/paint.ts'

export type Question = {
  text: string
  model?: string | undefined
  /** The API in which it is asked. */
  surface: AskedSurface
  signal: AbortSignal
}

/** Where the command writes: the answer and the chain, and what went wrong. */
export type Terminal = { out(text: string): void; error(text: string): void; paint: Paint }

/** Asks once, streamed, and shows the answer and the chain it took. Returns the exit code. */
export async function askGateway(
  address: GatewayAddress,
  question: Question,
  terminal: Terminal,
): Promise<number> {
  const { text, surface, signal } = question
  const model = question.model ?? (await firstAlias(address, signal))
  const response = await callGateway(address, surface.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(surface.body(model, text)),
    signal,
  })
  const { failure, dollars } = response.ok
    ? await printAnswer(response, question, terminal)
    : { failure: await readError(response), dollars: null }
  if (failure !== null) terminal.error(`${terminal.paint('red', 'error:')} ${printable(failure)}\n`)
  printTrail(response.headers, { model, stack: address.stack, dollars }, terminal)
  return failure === null ? 0 : 1
}

async function firstAlias(address: GatewayAddress, signal: AbortSignal): Promise<string> {
  const response = await callGateway(address, '/v1/models', { signal })
  if (!response.ok) throw new CommandError(await readError(response))
  const { data } = parseJsonObject(await response.text()) ?? {}
  const [first] = Array.isArray(data) ? data : []
  if (isJsonObject(first) && typeof first.id === 'string') return first.id
  throw new CommandError('The gateway has no models. Add one to its configuration.')
}

/** How an answer ended: what broke it, or null where it is whole; and what it cost, where that is known. */
type Ending = { failure: string | null; dollars: number | null }

/** The cost in an event's usage, which two of the APIs put inside the response. */
function dollarsIn(event: JsonObject | undefined): number | null {
  const within = isJsonObject(event?.response) ? event.response : event
  const cost = isJsonObject(within?.usage) ? within.usage.cost : null
  return typeof cost === 'number' ? cost : null
}

/** Prints an answer as it streams. */
async function printAnswer(
  response: Response,
  { surface, signal }: Question,
  { out }: Terminal,
): Promise<Ending> {
  const reader = createEventReader()
  let done = false
  let failure: string | null = null
  let dollars: number | null = null
  const show = (data: string): void => {
    const event = parseJsonObject(data)
    done ||= surface.isEnd(data, event)
    dollars = dollarsIn(event) ?? dollars
    failure ??=
      errorMessage(event) ?? errorMessage(isJsonObject(event?.response) ? event.response : undefined)
    if (event) out(printable(surface.textOf(event)))
  }
  try {
    for await (const bytes of response.body ?? []) for (const { data } of reader.push(bytes)) show(data)
    for (const { data } of reader.end()) show(data)
  } catch (error) {
    if (signal.aborted) throw error
    failure ??= 'The answer is incomplete: the connection to the gateway broke.'
  }
  out('\n')
  failure ??= done ? null : `The answer is incomplete: the stream ended without ${surface.end}.`
  return { failure, dollars }
}

type Asked = { model: string; stack: string | undefined; dollars: number | null }

function printTrail(headers: Headers, { model, stack, dollars }: Asked, { out, paint }: Terminal): void {
  const where = stack === undefined ? '' : ` --stack ${stack}`
  const hops = parseChain(headers.get(RESPONSE_HEADERS.chain)).map(hop => formatHop(hop, paint))
  const skipped = headers.get(RESPONSE_HEADERS.skipped)
  // What was refused at the door has no plan, and so nothing to explain.
  const requestId = headers.has(RESPONSE_HEADERS.attempts) ? headers.get(RESPONSE_HEADERS.requestId) : null
  if (hops.length > 0) out(`\n${paint('bold', printable(model))}  ${hops.join(paint('dim', ' > '))}\n`)
  if (dollars !== null) out(`${paint('dim', `cost: $${formatDollars(dollars)}`)}\n`)
  if (skipped) out(`${paint('dim', `skipped: ${printable(skipped)}`)}\n`)
  if (requestId) out(`${paint('dim', `npm run why -- ${printable(requestId)}${where}`)}\n`)
}
