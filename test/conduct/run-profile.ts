import type { Clock } from '../../lambdas/platform/clock.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { startGateway } from '../support/start-gateway.ts'
import { askOnce } from './ask-once.ts'
import { breakByModel } from './breakages.ts'
import { judge, type Judgement } from './judge.ts'
import { LANES, type LaneName } from './lanes.ts'
import { startRawServer, type RawServer } from './raw-server.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

/** The ways to ask: streamed, and buffered in both of its forms. */
export const PROFILES = {
  streamed: { stream: true, headers: {} },
  held: { stream: true, headers: { 'x-backstop-buffer': '1' } },
  whole: { stream: false, headers: {} },
} as const satisfies Record<string, { stream: boolean; headers: Record<string, string> }>
export type ProfileName = keyof typeof PROFILES

/** What is asked, and how. */
export type Way = { lane: LaneName; profile: ProfileName }

/** Every way to ask. */
export const WAYS: readonly Way[] = (Object.keys(LANES) as LaneName[]).flatMap(lane =>
  (Object.keys(PROFILES) as ProfileName[]).map(profile => ({ lane, profile })),
)

export type ProfileOptions = {
  /** What becomes of a millisecond of the catalogue; 1 = real times. */
  pace: number
  /** Settings that shrink alike. */
  settings: Record<string, number>
  clock: Clock
  /** An empty table. */
  store: FleetStore
}

export type Judged = { scenario: Scenario } & Way & Judgement

/** Longer than any good answer takes, and than the silence of a stream whose socket stays open. */
const HANG_MS = 60_000

const fallbackOf = (id: string): string => `${id}-fallback`

/** Each scenario is a provider of its own, so that none finds the breaker of another one open. */
function configurationFor(url: string, lane: LaneName, settings: Record<string, number>) {
  const ids = SCENARIOS.map(({ id }) => id)
  const plain = { baseUrl: url, key: false }
  const primary = { ...plain, wires: LANES[lane].wires }
  return {
    providers: { ...Object.fromEntries(ids.map(id => [id, primary])), fallback: plain },
    models: Object.fromEntries(
      ids.map(id => [id, { tiers: [[`${id}/${id}`], [`fallback/${fallbackOf(id)}`]] }]),
    ),
    settings,
  }
}

async function runScenario(
  scenario: Scenario,
  { lane, profile }: Way,
  {
    gateway,
    server,
    pace,
    clock,
  }: { gateway: { url: string }; server: RawServer; pace: number; clock: Clock },
): Promise<Judged> {
  const { id, load } = scenario
  const request = { api: LANES[lane].api, model: id, ...PROFILES[profile], hangMs: HANG_MS * pace }
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
  return { scenario, lane, profile, ...judge(scenario, observed) }
}

/** Plays every scenario at once, asked in one way, against a gateway that knows nothing yet. */
export async function runProfile(
  way: Way,
  { pace, settings, clock, store }: ProfileOptions,
): Promise<readonly Judged[]> {
  await using server = await startRawServer(breakByModel(pace), { pace, clock })
  const configuration = configurationFor(server.url, way.lane, settings)
  await using gateway = await startGateway(configuration, {}, { clock, store })
  const judged = SCENARIOS.map(scenario => runScenario(scenario, way, { gateway, server, pace, clock }))
  return await Promise.all(judged)
}
