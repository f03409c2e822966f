import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { MAX_BODY_BYTES } from '../../../lambdas/contract.ts'
import { parseJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { GatewayError } from '../../../lambdas/core/routing/gateway-error.ts'
import { type LocalServer, listenLocally } from '../loopback-server.ts'
import { readBody } from '../request-body.ts'
import { type Scenario, scenarioOf } from './scenarios.ts'
import { simulateAnswer } from './simulated-answer.ts'
import { simulateVectors } from './simulated-vectors.ts'
import { chatWire } from './wires/chat-wire.ts'
import { messagesWire } from './wires/messages-wire.ts'
import { responsesWire } from './wires/responses-wire.ts'
import type { SimulatedEvents, SimulatedWire } from './wires/simulated-wire.ts'

/** A running simulation, and where each provider's APIs are in it. */
export type SimulatedProviders = LocalServer & { baseUrlOf(provider: string): string }

/** By the path behind a provider's base URL. */
const WIRES: ReadonlyMap<string, SimulatedWire> = new Map([
  ['chat/completions', chatWire],
  ['responses', responsesWire],
  ['messages', messagesWire],
])
const EMBEDDINGS = 'embeddings'

const PATH = /^\/([^/]+)\/v1\/([a-z/]+)$/

/** What a model answers where it answers well. */
type Performance = { whole: object; events: SimulatedEvents | null; tokens: number }

/** Plays every provider on one loopback port. `pace` scales the waiting times: 0 answers at once. */
export async function startSimulatedProviders({ pace = 1 } = {}): Promise<SimulatedProviders> {
  const server = createServer((request, response) => {
    // A client that leaves makes a stream fail here; the other side of the connection has seen that already.
    play(request, response, pace).catch(() => response.destroy())
  })
  const local = await listenLocally(server, 0)
  return { ...local, baseUrlOf: provider => `${local.url}/${encodeURIComponent(provider)}/v1` }
}

async function play(request: IncomingMessage, response: ServerResponse, pace: number): Promise<void> {
  const [, encoded = '', path = ''] = PATH.exec(request.url ?? '') ?? []
  const provider = decodeURIComponent(encoded)
  const body = parseJsonObject(String(await readBody(request, MAX_BODY_BYTES)))
  if (request.method !== 'POST' || !(WIRES.has(path) || path === EMBEDDINGS)) {
    return refuse(response, 404, `Invalid URL (${request.method} ${request.url})`)
  }
  if (typeof body?.model !== 'string') return refuse(response, 400, 'you must provide a model parameter')
  try {
    const performance = perform(path, provider, body.model, body)
    await act(scenarioOf(provider, body.model), body.model, performance, response, pace)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    refuse(response, 400, error.message)
  }
}

function perform(path: string, provider: string, model: string, body: JsonObject): Performance {
  const wire = WIRES.get(path)
  if (!wire) return { whole: simulateVectors(model, body), events: null, tokens: 1 }
  const request = wire.read(body)
  const answer = simulateAnswer(provider, model, request)
  const input = { provider, model, request, answer, now: Date.now() }
  const events = body.stream === true ? wire.events(input) : null
  return { whole: wire.whole(input), events, tokens: answer.pieces.length }
}

async function act(
  scenario: Scenario,
  model: string,
  { whole, events, tokens }: Performance,
  response: ServerResponse,
  pace: number,
): Promise<void> {
  switch (scenario.kind) {
    case 'silent':
      return
    case 'refuse': {
      const { status, body, headers } = scenario.refusal
      await delay(scenario.afterMs * pace)
      return sendJson(response, status, body(model), headers)
    }
    case 'answer':
    case 'cut':
      if (events) return stream(scenario, events, response, pace)
      await delay((scenario.firstTokenMs + scenario.tokenMs * tokens) * pace)
      if (scenario.kind === 'cut') response.destroy()
      else sendJson(response, 200, whole)
  }
}

type Answering = Extract<Scenario, { kind: 'answer' | 'cut' }>

async function stream(
  scenario: Answering,
  events: SimulatedEvents,
  response: ServerResponse,
  pace: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  await pipeline(Readable.from(paced(scenario, events, pace)), response)
}

async function* paced(scenario: Answering, { opening, output, closing }: SimulatedEvents, pace: number) {
  yield* opening
  await delay(scenario.firstTokenMs * pace)
  for (const [index, event] of output.entries()) {
    if (scenario.kind === 'cut' && index > scenario.cutAfter)
      throw new Error('the simulated connection breaks here')
    yield event
    await delay(scenario.tokenMs * pace)
  }
  yield* closing
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } })
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
