import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ComposedProbe, ProbeEvent } from '../../../lambdas/compose/probe.ts'
import { openAiErrorReply } from '../../../lambdas/http/replies/openai-error.ts'
import { type TableFacts, probeEventSchema } from '../../local-contract.ts'
import type { LocalRoute } from '../function-url.ts'

const PASS_MS = 60_000

/** The local stand-in for a Lambda's context: a pass may take a minute. */
const context = () => {
  const endsAt = Date.now() + PASS_MS
  return { getRemainingTimeInMillis: () => endsAt - Date.now() }
}

/** Runs one probe pass, as the schedule would. */
export const runPass = (probe: ComposedProbe, event: ProbeEvent = {}) => probe.handler(event, context())

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

async function probeEventOf(request: IncomingMessage): Promise<ProbeEvent> {
  const body = await text(request)
  return probeEventSchema.parse(body.trim() === '' ? {} : JSON.parse(body))
}

/** `POST /local/probe`: a pass now; `{"force": true}` ignores due times, `{"endpoint": "groq/…"}` probes that one. */
export function probeRoute(probe: ComposedProbe): LocalRoute {
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let event: ProbeEvent
    try {
      event = await probeEventOf(request)
    } catch {
      const refusal = openAiErrorReply({
        code: 'invalid_json',
        message: 'Send an empty body, {"force": true} or {"endpoint": "provider/model"}.',
      })
      return answer(response, refusal.status, String(refusal.body))
    }
    answer(response, 200, JSON.stringify(await runPass(probe, event)))
  }
  return (request, response) => {
    if (request.method !== 'POST' || request.url !== '/local/probe') return false
    serve(request, response).catch(() => response.destroy())
    return true
  }
}

/** `GET /local/state`: everything that the table holds. */
export function stateRoute(readTable: () => Promise<readonly object[]>): LocalRoute {
  async function serve(response: ServerResponse): Promise<void> {
    try {
      answer(response, 200, JSON.stringify({ items: await readTable() }))
    } catch {
      const message = 'The state table cannot be read. Try again in a moment.'
      const refusal = openAiErrorReply({ code: 'no_endpoint_available', message })
      answer(response, refusal.status, String(refusal.body))
    }
  }
  return (request, response) => {
    if (request.method !== 'GET' || request.url !== '/local/state') return false
    void serve(response)
    return true
  }
}

/** `GET /local/table`: for the commands that act on the fleet's memory. */
export function tableRoute(table: TableFacts): LocalRoute {
  return (request, response) => {
    if (request.method !== 'GET' || request.url !== '/local/table') return false
    answer(response, 200, JSON.stringify(table))
    return true
  }
}
