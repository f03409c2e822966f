import { isJsonObject, parseJsonObject, type Json, type JsonObject } from '../../../lambdas/core/json.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'

type Endpoint = {
  answers: readonly UpstreamAnswer[]
  /** APIs that it speaks beside the chat API; by default none, whatever the catalogue says. */
  wires?: object
  /** Of the catalogue; by default one of its own. */
  provider?: string
}

const NO_WIRES = { messages: false, responses: false }

export type Answered = {
  status: number
  headers: Headers
  text: string
  /** Of an answer that came whole. */
  json: JsonObject
}

/** A gateway whose alias `house` has these endpoints, each a tier, and what an agent would send to it. */
export async function startHouse(...endpoints: readonly Endpoint[]) {
  const upstreams = await Promise.all(endpoints.map(({ answers }) => startUpstream(answers)))
  const ids = endpoints.map(({ provider }, place) => provider ?? `host${place}`)
  const providers = Object.fromEntries(
    endpoints.map(({ wires = NO_WIRES }, place) => [
      ids[place],
      { baseUrl: upstreams[place]?.url, key: false, wires },
    ]),
  )
  const gateway = await startGateway({
    providers,
    models: { house: { tiers: ids.map(id => [`${id}/m`]) } },
  })
  return {
    gateway,
    upstreams,
    /** The body that came last at the first endpoint, or at another. */
    sent: (place = 0): JsonObject => upstreams[place]?.requests.at(-1)?.body ?? {},
    async ask(path: string, body: object, headers: Record<string, string> = {}): Promise<Answered> {
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'house', ...body }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parseJsonObject(text) ?? {} }
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      for (const upstream of upstreams) await upstream.close()
    },
  }
}

export const MESSAGES = '/v1/messages?beta=true'
export const RESPONSES = '/v1/responses'

/** As both agents name their sessions: without one, a later round could not fall back. */
export const SESSION = { 'x-claude-code-session-id': 'session-of-a-test' }

export const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []
