import type { Answer } from '../../support/ask.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { behaviour } from '../../support/behaviours.ts'
import { errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import {
  configOf,
  createWorld,
  startGateway,
  type TestGateway,
  type World,
} from '../../support/start-gateway.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'

/** Takes what a sequence opens, and ends it with the test. */
export type Open = <Resource extends AsyncDisposable>(resource: Resource) => Resource

/** One recorded behaviour that takes more than one answer to show, and what must come of it. */
export type Sequence = { id: string; consequence: string; run(open: Open): Promise<void> }

export type Staged = World & {
  gateway: TestGateway
  upstreams: readonly ScriptedUpstream[]
}

/** So that a test sees one failure of an endpoint where it means one. */
export const WITHOUT_RETRY = { retry_total_wait_ms: 0 }
/** On loopback a cooldown is cut short where nothing else is left, which is not what is looked at here. */
export const REMOTE = { local_cooldown_max_ms: 3_600_000 }

/** The whole gateway over scripted upstreams `a/m`, `b/m`, …: each in a tier of its own, or all in one. */
export async function stage(
  open: Open,
  scripts: readonly UpstreamScript[],
  { settings = {}, oneTier = false }: { settings?: Record<string, unknown>; oneTier?: boolean } = {},
): Promise<Staged> {
  const world = createWorld()
  const upstreams: ScriptedUpstream[] = []
  for (const script of scripts) upstreams.push(open(await startUpstream(script, world)))
  const names = ['a', 'b', 'c', 'd'].slice(0, scripts.length)
  const urls = Object.fromEntries(upstreams.map(({ url }, position) => [names[position] ?? '', url]))
  const endpoints = names.map(name => `${name}/m`)
  const tiers = oneTier ? [endpoints] : endpoints.map(endpoint => [endpoint])
  const gateway = open(await startGateway(configOf(urls, tiers, settings), {}, world))
  return { gateway, ...world, upstreams }
}

/** `endpoint outcome` for each hop. */
export const hopsOf = ({ headers }: Answer): string[] =>
  (headers.get('x-backstop-chain') ?? '').split(' > ').map(hop => hop.split(';').slice(0, 2).join(' '))

export const servedBy = ({ headers }: Answer): string | null => headers.get('x-backstop-served-by')

/** The recorded overload, which the sequences share. */
export const overloaded: HttpAnswer = { status: 503, body: behaviour('seq-s04').upstream.body ?? '' }
export const failing = errorAnswer(500, { message: 'The server had an error while processing your request.' })
export const gone = errorAnswer(410, { message: 'The model has been decommissioned.' })

/** A rate limit, with or without a hint. */
export const limited = (seconds?: number): HttpAnswer =>
  errorAnswer(
    429,
    { message: 'Rate limit reached for requests.', type: 'rate_limit_error' },
    seconds === undefined ? {} : { 'retry-after': `${seconds}` },
  )
