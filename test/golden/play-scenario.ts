import { createHash } from 'node:crypto'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { firstEndpoints } from '../../lambdas/config/tiers-of.ts'
import type { Clock } from '../../lambdas/platform/clock.ts'
import { countedIn, writtenFor } from '../platform/written-lines.ts'
import { createMemoryStore, type MemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { startGateway, type TestGateway } from '../support/start-gateway.ts'
import type { UpstreamRequest } from '../support/upstreams/upstream-request.ts'
import { asCounted, bodyLines, normalise, plainHeaders, plainMetric, plainText, sorted } from './normalise.ts'
import type { GoldenRequest, Scenario, Step } from './scenario.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

type StatsKey = Parameters<MemoryStore['counts']>[0]
type SessionKey = Parameters<MemoryStore['session']>[0]

/** Nothing listens on the discard port of a machine that runs tests. */
const CLOSED = 'http://127.0.0.1:9/v1'

const SETTINGS = {
  retry_base_ms: 0,
  // On loopback a cooldown would be cut short where nothing else is left.
  local_cooldown_max_ms: 3_600_000,
  // The table is in memory: only a busy machine could make it late.
  state_wait_ms: 1_000,
}

/** A table in memory that knows which counters and sessions were ever written. */
function watchedStore(clock: Clock): {
  store: MemoryStore
  counted: Set<StatsKey>
  sessions: Set<SessionKey>
} {
  const store = createMemoryStore(clock)
  const counted = new Set<StatsKey>()
  const sessions = new Set<SessionKey>()
  const watched: MemoryStore = {
    ...store,
    addCounts(key, ...rest) {
      counted.add(key)
      return store.addCounts(key, ...rest)
    },
    putSession(key, ...rest) {
      sessions.add(key)
      return store.putSession(key, ...rest)
    },
  }
  return { store: watched, counted, sessions }
}

const keyVariable = (provider: string): string => `${provider.toUpperCase()}_API_KEY`

function configurationOf(scenario: Scenario, urls: Record<string, string>, variables: object) {
  const names = Object.keys(urls)
  const providers = Object.fromEntries(
    names.map(name => [
      name,
      { baseUrl: urls[name], ...(keyVariable(name) in variables ? {} : { key: false }) },
    ]),
  )
  const tiers = scenario.tiers ?? names.map(name => [`${name}/m`])
  return {
    providers,
    models: { chat: { tiers, ...scenario.alias } },
    settings: { ...SETTINGS, ...scenario.settings },
  }
}

async function send(
  gateway: TestGateway,
  request: GoldenRequest,
  id: string,
  startedAt: number,
): Promise<object> {
  const { method = 'POST', path = '/v1/chat/completions', chat = {}, text, headers } = request
  const body =
    text ?? JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello?' }], ...chat })
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-request-id': id, ...headers },
    ...(method === 'POST' ? { body } : {}),
  })
  return {
    status: response.status,
    headers: plainHeaders(response.headers),
    body: bodyLines(await response.text(), startedAt),
  }
}

const received = ({ method, path, headers, text }: UpstreamRequest, startedAt: number): object => ({
  method,
  path,
  headers: plainHeaders(Object.entries(headers).map(([name, value]) => [name, String(value)] as const)),
  body: bodyLines(text, startedAt),
})

/** What a log has written since then: its lines, and what CloudWatch counts of them. */
function writtenSince(
  gateway: TestGateway,
  position: number,
  startedAt: number,
  chains: Record<string, string>,
): object {
  const written = writtenFor(gateway.lines.slice(position), chains)
  return {
    log: sorted(written.map(({ _aws, ...line }) => normalise(line, startedAt))),
    metrics: countedIn(written).map(plainMetric).toSorted(),
  }
}

/** As the gateway names endpoints of hosts that are in no catalogue. */
const idOf = (urls: Record<string, string>) => (endpoint: string) => {
  const [provider = '', ...model] = endpoint.split('/')
  const digest = createHash('sha256')
    .update(urls[provider] ?? '')
    .digest('hex')
  return `${provider}@${digest.slice(0, 8)}/${model.join('/')}`
}

/** Plays one scenario through the whole gateway; everything that it shows, without what differs from run to run. */
export async function playScenario(scenario: Scenario): Promise<object> {
  const { variables = {}, steps = [{}] } = scenario
  // Jitter would make waits and due times differ.
  const clock = { ...createVirtualClock(), random: () => 0 }
  const startedAt = clock.now()
  await using open = new AsyncDisposableStack()
  const upstreams = new Map<string, ScriptedUpstream>()
  const urls: Record<string, string> = {}
  for (const [name, script] of Object.entries(scenario.upstreams)) {
    if (script === 'closed') urls[name] = CLOSED
    else {
      const upstream = open.use(await startUpstream(script, { clock }))
      upstreams.set(name, upstream)
      urls[name] = upstream.url
    }
  }
  const { store, counted, sessions } = watchedStore(clock)
  const beginning = { at: (offsetMs: number) => startedAt + offsetMs, idOf: idOf(urls) }
  for (const item of scenario.items?.(beginning) ?? []) store.plant({ pk: 'state', version: 1, ...item })
  if (scenario.table) store.fail(scenario.table)

  const gateways: TestGateway[] = []
  const configuration = configurationOf(scenario, urls, variables)
  const last = open.use(await startGateway(configuration, variables, { clock, store }))
  gateways.push(last)
  const chains = [firstEndpoints(parseGatewayConfig(configuration).models)]
  if (scenario.nested) {
    const inner = { inner: `${last.url}/v1` }
    const outer = { ...scenario, tiers: [['inner/chat']], alias: {} }
    chains.unshift(new Map([['chat', 'inner/chat']]))
    gateways.unshift(open.use(await startGateway(configurationOf(outer, inner, {}), {}, { clock })))
  }
  const [first = last] = gateways

  async function play(step: Step, number: number): Promise<object> {
    const before = gateways.map(({ lines }) => lines.length)
    const answer =
      step === 'probe'
        ? { probes: normalise((await first.probe()).probes, startedAt) }
        : await send(first, step, `golden-${number + 1}`, startedAt)
    for (const gateway of gateways) await gateway.settled()
    const [written, inner] = gateways.map((gateway, index) =>
      writtenSince(gateway, before[index] ?? 0, startedAt, Object.fromEntries(chains[index] ?? [])),
    )
    return { ...answer, ...written, ...(inner ? { inner } : {}) }
  }

  const played: object[] = []
  for (const [number, step] of steps.entries()) played.push(await play(step, number))
  const stats = [...counted].map(key => ({
    key: plainText(key),
    counters: asCounted(store.counts(key)),
    expiresAt: normalise(store.countsExpireAt(key), startedAt, 'expiresAt'),
  }))
  return {
    steps: played,
    upstreams: Object.fromEntries(
      [...upstreams].map(([name, { requests }]) => [
        name,
        requests.map(request => received(request, startedAt)),
      ]),
    ),
    table: {
      state: sorted(store.items().map(item => normalise(item, startedAt))),
      stats: sorted(stats),
      sessions: sorted([...sessions].map(key => ({ key, record: normalise(store.session(key), startedAt) }))),
    },
    handlerErrors: gateways.flatMap(({ handlerErrors }) => handlerErrors.map(String)),
  }
}
