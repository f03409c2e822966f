import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { MAX_BODY_BYTES } from '../../../lambdas/contract.ts'
import { parseJsonObject } from '../../../lambdas/core/json.ts'
import { type LocalServer, listenOnLoopback } from '../loopback-server.ts'
import { readBody } from '../request-body.ts'
import { type Scenario, scenarioOf } from './scenarios.ts'
import { simulateAnswer } from './simulated-answer.ts'
import { type WireInput, closingEvents, completionBody, openingOf, outputEvents } from './simulated-wire.ts'

/** A running simulation, and where each provider's OpenAI-compatible API is in it. */
export type SimulatedProviders = LocalServer & { baseUrlOf(provider: string): string }

const CHAT_PATH = /^\/([^/]+)\/v1\/chat\/completions$/

/** Plays every provider on one loopback port. `pace` scales the waiting times: 0 answers at once. */
export async function startSimulatedProviders({ pace = 1 } = {}): Promise<SimulatedProviders> {
  const server = createServer((request, response) => {
    // A client that leaves makes a stream fail here; the other side of the connection has seen that already.
    play(request, response, pace).catch(() => response.destroy())
  })
  const local = await listenOnLoopback(server, 0)
  return { ...local, baseUrlOf: provider => `${local.url}/${encodeURIComponent(provider)}/v1` }
}

async function play(request: IncomingMessage, response: ServerResponse, pace: number): Promise<void> {
  const provider = decodeURIComponent(CHAT_PATH.exec(request.url ?? '')?.[1] ?? '')
  const body = parseJsonObject(String(await readBody(request, MAX_BODY_BYTES)))
  if (provider === '' || request.method !== 'POST') {
    return refuse(response, 404, `Invalid URL (${request.method} ${request.url})`)
  }
  if (typeof body?.model !== 'string') return refuse(response, 400, 'you must provide a model parameter')
  const answer = simulateAnswer(provider, body.model, body)
  const input = { provider, model: body.model, request: body, answer, now: Date.now() }
  await act(scenarioOf(provider, body.model), input, response, pace)
}

async function act(
  scenario: Scenario,
  input: WireInput,
  response: ServerResponse,
  pace: number,
): Promise<void> {
  switch (scenario.kind) {
    case 'silent':
      return
    case 'refuse':
      await delay(scenario.afterMs * pace)
      sendJson(
        response,
        scenario.refusal.status,
        scenario.refusal.body(input.model),
        scenario.refusal.headers,
      )
      return
    case 'answer':
    case 'cut':
      if (input.request.stream === true) return stream(scenario, input, response, pace)
      await delay((scenario.firstTokenMs + scenario.tokenMs * input.answer.pieces.length) * pace)
      if (scenario.kind === 'cut') response.destroy()
      else sendJson(response, 200, completionBody(input))
  }
}

async function stream(
  scenario: Extract<Scenario, { kind: 'answer' | 'cut' }>,
  input: WireInput,
  response: ServerResponse,
  pace: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  await pipeline(Readable.from(paced(scenario, input, pace)), response)
}

async function* paced(
  scenario: Extract<Scenario, { kind: 'answer' | 'cut' }>,
  input: WireInput,
  pace: number,
) {
  yield openingOf(input.provider)
  await delay(scenario.firstTokenMs * pace)
  const events = outputEvents(input)
  for (const [index, event] of events.entries()) {
    if (scenario.kind === 'cut' && index > scenario.cutAfter)
      throw new Error('the simulated connection breaks here')
    yield event
    await delay(scenario.tokenMs * pace)
  }
  yield* closingEvents(input)
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } })
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
