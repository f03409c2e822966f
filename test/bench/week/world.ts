import { errorAnswer, chatStream } from '../../support/upstreams/chat-bodies.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { ENDPOINTS, incidentsOfWeek, type Ailment, type EndpointName } from './incidents.ts'

/** What a call to an endpoint meets, and after how long, in milliseconds. */
export type Encounter = { ailment: Ailment | null; afterMs: number }

/** How long a call takes; a failing hop took 7.3 s on average in the week that this one resembles. */
const AFTER_MS: Readonly<Record<Ailment, number>> = {
  dead: 7_400,
  removed: 6_200,
  no_capacity: 8_900,
  rate_limit: 450,
  // Longer than the limit for the first output.
  silent: 10_000,
  server_error: 5_800,
}
const STRUCTURAL: ReadonlySet<Ailment | null> = new Set(['dead', 'removed'])
const HEALTHY_MS: Readonly<Record<EndpointName, number>> = {
  'zen/coder': 900,
  'relay/coder': 1_100,
  'pool/large': 1_600,
  'pool/small': 800,
  'vendor/fast': 350,
  'studio/fast': 500,
  'host/steady': 1_200,
  'paid/steady': 700,
}

export type World = {
  /** Milliseconds since the week began. */
  meet(endpoint: string, at: number): Encounter
  /** Whether any endpoint of the chain would have answered. */
  isPossible(at: number): boolean
}

const isKnown = (name: string): name is EndpointName => ENDPOINTS.some(endpoint => endpoint === name)

export const isStructural = ({ ailment }: Encounter): boolean => STRUCTURAL.has(ailment)

/** The upstreams of one week, as a pure function of time. */
export function createWorld(seed: number): World {
  const incidents = incidentsOfWeek(seed)
  function meet(endpoint: string, at: number): Encounter {
    if (!isKnown(endpoint)) throw new Error(`no endpoint "${endpoint}" in this week`)
    const incident = incidents.find(
      candidate => candidate.endpoint === endpoint && candidate.from <= at && at < candidate.to,
    )
    if (!incident) return { ailment: null, afterMs: HEALTHY_MS[endpoint] }
    return { ailment: incident.ailment, afterMs: AFTER_MS[incident.ailment] }
  }
  return { meet, isPossible: at => ENDPOINTS.some(endpoint => meet(endpoint, at).ailment === null) }
}

/** The same on the wire. */
export function answerOf({ ailment, afterMs }: Encounter, model: string): UpstreamAnswer {
  const headersDelayMs = afterMs
  switch (ailment) {
    case null:
      return { headersDelayMs, ...chatStream(['Done.'], { model }) }
    case 'dead':
      return { headersDelayMs, ...errorAnswer(400, { message: `Model ${model} is unavailable` }) }
    case 'removed':
      return { headersDelayMs, ...errorAnswer(410, { message: 'This model has been decommissioned.' }) }
    case 'no_capacity':
      return { headersDelayMs, ...errorAnswer(503, { message: 'No capacity is available right now.' }) }
    case 'rate_limit':
      return { headersDelayMs, ...errorAnswer(429, { message: 'Rate limit exceeded.' }) }
    case 'server_error':
      return { headersDelayMs, ...errorAnswer(500, { message: 'Internal server error' }) }
    case 'silent':
      return { fault: 'no-response' }
  }
}

/** What a provider lists when it is asked what there is in the place of a model that is gone. */
export function modelsOf(world: World, provider: string, at: number): UpstreamAnswer {
  const listed = ENDPOINTS.filter(
    endpoint => endpoint.startsWith(`${provider}/`) && world.meet(endpoint, at).ailment !== 'removed',
  )
  return { body: { object: 'list', data: listed.map(name => ({ id: name.slice(provider.length + 1) })) } }
}
