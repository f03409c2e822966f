import { RESPONSE_HEADERS } from '../../../lambdas/contract.ts'
import type { CommandCall } from '../fleet/command-call.ts'
import { formatDollars } from '../../../lambdas/core/format-dollars.ts'
import { readDollars } from '../../../lambdas/core/answers/usage.ts'
import { isJsonObject, parseJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { createEventReader } from '../../../lambdas/sse/event-reader.ts'
import { callGateway, errorMessage, readError } from '../fleet/call-gateway.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { GatewayAddress } from '../fleet/gateway-address.ts'
import type { AskedSurface, Turn } from './ask-surfaces.ts'
import { headerText } from '../../terminal/header-text.ts'
import { formatHop, parseChain } from '../../terminal/hop.ts'
import { type Paint, printable } from '../../terminal/paint.ts'

export type Question = {
  /** The conversation so far; its last turn is what is asked now. */
  turns: readonly Turn[]
  system?: string | undefined
  model: string
  /** The API in which it is asked. */
  surface: AskedSurface
  signal: AbortSignal
}

/** What came back; an answer that failed may have begun. */
export type Answered = { failed: boolean; text: string; requestId: string | null }

/** Where the command writes: the answer and the chain, and what went wrong. */
export type Terminal = { out(text: string): void; error(text: string): void; paint: Paint }

/** Asks once, streamed, and shows the answer and the chain it took. */
export async function askGateway(
  address: GatewayAddress,
  question: Question,
  terminal: Terminal,
): Promise<Answered> {
  const { turns, system, model, surface, signal } = question
  const response = await callGateway(address, surface.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(surface.body(model, turns, system)),
    signal,
  })
  const { failure, cost, text } = response.ok
    ? await printAnswer(response, question, terminal)
    : { failure: await readError(response), cost: null, text: '' }
  if (failure !== null) terminal.error(`${terminal.paint('red', 'error:')} ${printable(failure)}\n`)
  printTrail(response.headers, { model, call: address.call, cost }, terminal)
  return { failed: failure !== null, text, requestId: requestIdOf(response.headers) }
}

/** The model that is asked where none is named: the first one of the gateway. */
export async function firstAlias(address: GatewayAddress, signal: AbortSignal): Promise<string> {
  const response = await callGateway(address, '/v1/models', { signal })
  if (!response.ok) throw new CommandError(await readError(response))
  const { data } = parseJsonObject(await response.text()) ?? {}
  const [first] = Array.isArray(data) ? data : []
  if (isJsonObject(first) && typeof first.id === 'string') return first.id
  throw new CommandError('The gateway has no models. Add one to its configuration.')
}

/** Dollars; `unpriced` where tokens were counted and nobody knows their price; null where nothing is told. */
type Cost = number | 'unpriced' | null

/** How an answer ended: what broke it, or null where it is whole; and what it cost. */
type Ending = { failure: string | null; cost: Cost; text: string }

/** The cost in an event's usage, which two of the APIs put inside the response. */
function costIn(event: JsonObject | undefined, { tellsCost }: AskedSurface): Cost {
  const within = isJsonObject(event?.response) ? event.response : event
  if (!isJsonObject(within?.usage)) return null
  return readDollars(within.usage.cost) ?? (tellsCost ? 'unpriced' : null)
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
  let cost: Cost = null
  let text = ''
  const show = (data: string): void => {
    const event = parseJsonObject(data)
    done ||= surface.isEnd(data, event)
    cost = costIn(event, surface) ?? cost
    failure ??=
      errorMessage(event) ?? errorMessage(isJsonObject(event?.response) ? event.response : undefined)
    if (!event) return
    const piece = surface.textOf(event)
    text += piece
    out(printable(piece))
  }
  try {
    for await (const bytes of response.body ?? []) for (const { data } of reader.push(bytes)) show(data)
    for (const { data } of reader.end()) show(data)
  } catch (error) {
    if (signal.aborted && text === '') throw error
    // Whoever has ended it knows that it is not whole.
    if (signal.aborted) return (out('\n'), { failure: null, cost, text })
    failure ??= 'The answer is incomplete: the connection to the gateway broke.'
  }
  out('\n')
  failure ??= done ? null : `The answer is incomplete: the stream ended without ${surface.end}.`
  return { failure, cost, text }
}

/** What was refused at the door has no plan, and so nothing to explain. */
const requestIdOf = (headers: Headers): string | null =>
  headers.has(RESPONSE_HEADERS.attempts) ? headers.get(RESPONSE_HEADERS.requestId) : null

type Asked = { model: string; call: CommandCall; cost: Cost }

function printTrail(headers: Headers, { model, call, cost }: Asked, { out, paint }: Terminal): void {
  const hops = parseChain(headers.get(RESPONSE_HEADERS.chain)).map(hop => formatHop(hop, paint))
  const skipped = headers.get(RESPONSE_HEADERS.skipped)
  const requestId = requestIdOf(headers)
  if (hops.length > 0) out(`\n${paint('bold', printable(model))}  ${hops.join(paint('dim', ' > '))}\n`)
  const told = cost === 'unpriced' ? 'price not known' : cost === null ? null : `$${formatDollars(cost)}`
  if (told !== null) out(`${paint('dim', `cost: ${told}`)}\n`)
  if (skipped) out(`${paint('dim', `skipped: ${printable(headerText(skipped))}`)}\n`)
  if (requestId) out(`${paint('dim', call('why', requestId))}\n`)
}
