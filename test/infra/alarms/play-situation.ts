import type { LogEvent } from '../../../lambdas/core/log-event.ts'
import { createMetricLog } from '../../../lambdas/platform/metric-log.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { firstEndpoints } from '../../../lambdas/config/tiers-of.ts'
import type { KeySource } from '../../../lambdas/keys/key-source.ts'
import type { WrittenLine } from '../../platform/written-lines.ts'
import { ask } from '../../support/ask.ts'
import { createVirtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { createMemoryStore, type MemoryStore } from '../../support/tables/memory-store.ts'
import { chatStream, tokens } from '../../support/upstreams/chat-bodies.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { createMetricArchive, metricKey, type MetricArchive } from './metric-archive.ts'

export const MINUTE = 60_000

export const WELL: UpstreamScript = [chatStream(tokens(3))]

/** Two models over the same three providers, each with one key. */
const PROVIDERS = ['one', 'two', 'three'] as const
export const ALIASES = ['chat', 'house'] as const
const MODELS = {
  chat: { tiers: [['one/m'], ['two/m'], ['three/m']] },
  house: { tiers: [['two/house'], ['three/house']] },
}

/** Nothing listens at the port of a protocol that nobody speaks any more. */
const NOWHERE = 'http://127.0.0.1:9/v1'

type FunctionName = 'gateway' | 'probe' | 'canary'

/** What a situation can do in a minute. */
export type Scene = {
  gateway: TestGateway
  clock: VirtualClock
  store: MemoryStore
  upstreams: Readonly<Record<(typeof PROVIDERS)[number], ScriptedUpstream>>
  /** Sends so many streamed requests, one after the other. */
  send(count: number, body?: object, headers?: Record<string, string>): Promise<void>
  /** What only the platform counts: errors of a function, by default the gateway's, and throttles. */
  count(name: 'Errors' | 'Throttles', value: number, of?: FunctionName): void
}

export type Situation = {
  minutes: number
  config?: object
  /** Providers that refuse every connection. */
  unreached?: readonly (typeof PROVIDERS)[number][]
  /** Of the environment; by default each provider has a key. */
  variables?: Record<string, string>
  keys?: KeySource
  minute?(scene: Scene, minute: number): Promise<void> | void
  /** Whether the schedule calls the probe in this minute; by default always. */
  probes?(minute: number): boolean
}

export type Played = {
  archive: MetricArchive
  from: number
  until: number
  /** The codes of all requests, and how those without one ended. */
  codes: ReadonlySet<string>
}

const KEYS = Object.fromEntries(PROVIDERS.map(name => [`${name.toUpperCase()}_API_KEY`, `key-of-${name}`]))

/** Plays a situation, minute by minute, against the whole gateway; what CloudWatch would have of it. */
export async function playSituation(situation: Situation): Promise<Played> {
  const {
    minutes,
    config = {},
    unreached = [],
    variables = KEYS,
    keys,
    minute,
    probes = () => true,
  } = situation
  // At the beginning of a period of five minutes.
  const clock = createVirtualClock(1_790_000_100_000)
  const from = clock.now()
  await using open = new AsyncDisposableStack()
  const [one, two, three] = await Promise.all(
    PROVIDERS.map(async () => open.use(await startUpstream(WELL, { clock }))),
  )
  if (!one || !two || !three) throw new Error('three providers have three upstreams')
  const upstreams = { one, two, three }
  const configuration = {
    providers: Object.fromEntries(
      PROVIDERS.map(name => [name, { baseUrl: unreached.includes(name) ? NOWHERE : upstreams[name].url }]),
    ),
    models: MODELS,
    ...config,
  }
  const store = createMemoryStore(clock)
  const gateway = open.use(
    await startGateway(configuration, variables, { clock, store, ...(keys && { keys }) }),
  )
  const archive = createMetricArchive()
  const log = createMetricLog({
    chains: firstEndpoints(parseGatewayConfig(configuration).models),
    mostSets: () => 300,
    now: clock.now,
    write: text => archive.take(JSON.parse(text) as WrittenLine),
  })
  let seen = 0
  const collect = async (): Promise<void> => {
    await gateway.settled()
    const lines: readonly LogEvent[] = gateway.lines.slice(seen)
    seen = gateway.lines.length
    for (const line of lines) log(line)
  }
  const ofFunction = (name: FunctionName, metric: string): string =>
    metricKey('AWS/Lambda', metric, { FunctionName: name })
  const scene: Scene = {
    gateway,
    clock,
    store,
    upstreams,
    async send(count, body = {}, headers = {}) {
      for (let sent = 0; sent < count; sent += 1) {
        await ask(gateway, { stream: true, ...body }, headers).catch(() => undefined)
        await collect()
      }
    },
    count: (name, value, of = 'gateway') => archive.add(ofFunction(of, name), value, clock.now()),
  }
  for (let index = 0; index < minutes; index += 1) {
    const endsAt = from + (index + 1) * MINUTE
    await minute?.(scene, index)
    await collect()
    if (probes(index)) {
      archive.add(ofFunction('probe', 'Invocations'), 1, clock.now())
      await gateway.probe(false).catch(() => archive.add(ofFunction('probe', 'Errors'), 1, clock.now()))
      await collect()
    }
    clock.pass(Math.max(0, endsAt - clock.now()))
  }
  const codes = new Set(
    gateway.lines.flatMap(line => {
      if (line.event === 'request-rejected') return [line.code]
      return line.event === 'request-completed' ? [line.code ?? line.outcome, line.outcome] : []
    }),
  )
  return { archive, from, until: from + minutes * MINUTE, codes }
}
