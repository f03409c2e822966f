import type { Clock } from '../../lambdas/platform/clock.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { startGateway } from '../support/start-gateway.ts'
import { askOnce } from './ask-once.ts'
import { breakByModel } from './breakages.ts'
import { judge, type Judgement } from './judge.ts'
import { startRawServer, type RawServer } from './raw-server.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

const STREAMED = { stream: true, stream_options: { include_usage: true } }

/** The ways to ask: streamed, and buffered in both of its forms. */
export const PROFILES = {
  streamed: { body: STREAMED, headers: {} },
  held: { body: STREAMED, headers: { 'x-backstop-buffer': '1' } },
  whole: { body: {}, headers: {} },
} as const satisfies Record<string, { body: object; headers: Record<string, string> }>
export type ProfileName = keyof typeof PROFILES

export type ProfileOptions = {
  /** What becomes of a millisecond of the catalogue; 1 = real times. */
  pace: number
  /** Settings that shrink alike. */
  settings: Record<string, number>
  clock: Clock
  /** An empty table. */
  store: FleetStore
}

export type Judged = { scenario: Scenario; profile: ProfileName } & Judgement

/** Longer than any good answer takes, and than the silence of a stream whose socket stays open. */
const HANG_MS = 60_000

const fallbackOf = (id: string): string => `${id}-fallback`

/** Each scenario is a provider of its own, so that none finds the breaker of another one open. */
function configurationFor(url: string, settings: Record<string, number>) {
  const ids = SCENARIOS.map(({ id }) => id)
  const provider = { baseUrl: url, key: false }
  return {
    providers: Object.fromEntries([...ids, 'fallback'].map(id => [id, provider])),
    models: Object.fromEntries(
      ids.map(id => [id, { tiers: [[`${id}/${id}`], [`fallback/${fallbackOf(id)}`]] }]),
    ),
    settings,
  }
}

async function runScenario(
  scenario: Scenario,
  profile: ProfileName,
  {
    gateway,
    server,
    pace,
    clock,
  }: { gateway: { url: string }; server: RawServer; pace: number; clock: Clock },
): Promise<Judged> {
  const { id, load } = scenario
  const { body, headers } = PROFILES[profile]
  const request = { body: { ...body, model: id }, headers, hangMs: HANG_MS * pace }
  const replies = Array.from({ length: load.requests }, async (_, position) => {
    await clock.sleep(position * load.everyMs * pace, new AbortController().signal)
    return askOnce(gateway.url, request, clock)
  })
  const observed = {
    replies: await Promise.all(replies),
    primary: server.callsFor(id),
    fallback: server.callsFor(fallbackOf(id)),
    fallbackModel: fallbackOf(id),
    pace,
  }
  return { scenario, profile, ...judge(scenario, observed) }
}

/** Plays every scenario at once, asked in one way, against a gateway that knows nothing yet. */
export async function runProfile(
  profile: ProfileName,
  { pace, settings, clock, store }: ProfileOptions,
): Promise<readonly Judged[]> {
  await using server = await startRawServer(breakByModel(pace), { pace, clock })
  await using gateway = await startGateway(configurationFor(server.url, settings), {}, { clock, store })
  const judged = SCENARIOS.map(scenario => runScenario(scenario, profile, { gateway, server, pace, clock }))
  return await Promise.all(judged)
}
