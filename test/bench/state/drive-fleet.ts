import { ask } from '../../support/ask.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'
import { createMeteredStore, type Units } from '../../support/tables/metered-store.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { seededRandom } from '../week/random.ts'

/** Traffic on one provider, with another one behind it. */
export type Scenario = {
  name: string
  /** Requests a second of each instance. */
  perSecond: 1 | 4
  /** Models of the provider, called in turn. */
  models: number
  /** How many of its calls fail, and how. */
  errorShare: number
  error?: 'server_error' | 'rate_limit'
  /** Endpoints that are dead, each before one of the models. */
  ill: number
}

export type FleetCost = {
  instances: number
  requests: number
  seconds: number
  units: ReadonlyMap<string, Units>
  largest: ReadonlyMap<string, number>
}

const TICK_MS = 250
const TICKS_A_SECOND = 4
/** What instances draw lots for must be spread as evenly as thousands of them would. */
const LOTS = 8
const SECONDS_A_PROBE_RUN = 60
const FOR_EVER = new AbortController().signal

function configurationOf(url: string, { models, ill }: Scenario) {
  const provider = (id: string) => ({ baseUrl: url.replace('/v1', `/${id}/v1`), key: false as const })
  const names = Array.from({ length: Math.max(models, ill) }, (_, index) => index)
  return {
    providers: { main: provider('main'), dead: provider('dead'), other: provider('other') },
    models: Object.fromEntries(
      names.map(index => [
        `alias-${index}`,
        {
          tiers: [
            ...(index < ill ? [[`dead/some-model-of-usual-length-${index}`]] : []),
            [`main/some-model-of-usual-length-${index % models}`],
            ['other/m'],
          ],
        },
      ]),
    ),
  }
}

function answersOf({ errorShare, error }: Scenario): (call: { path: string }) => UpstreamAnswer {
  const random = seededRandom(1)
  const failing =
    error === 'rate_limit'
      ? errorAnswer(429, { message: 'Rate limit exceeded.' })
      : errorAnswer(500, { message: 'The server had an error.' })
  return ({ path }) => {
    if (path.startsWith('/dead/')) return errorAnswer(404, { message: 'The model does not exist.' })
    return path.startsWith('/main/') && random() < errorShare ? failing : chatStream(['Done.'])
  }
}

export type Drive = {
  instances: number
  /** At their fastest, so that as much is in the windows as in those of a large fleet. */
  warmUpSeconds: number
  seconds: number
}

/** What a fleet of whole gateways costs its table, in virtual time, once it has got into its stride. */
export async function driveFleet(
  scenario: Scenario,
  { instances, warmUpSeconds, seconds }: Drive,
): Promise<FleetCost> {
  const clock = createVirtualClock()
  const store = createMeteredStore(createMemoryStore(clock))
  await using upstream = await startUpstream(answersOf(scenario))
  const configuration = configurationOf(upstream.url, scenario)
  const fleet = await Promise.all(
    Array.from({ length: instances }, (_, index) =>
      startGateway(
        configuration,
        {},
        { clock: { ...clock, random: () => ((index % LOTS) + 0.5) / LOTS }, store },
      ),
    ),
  )
  const [prober] = fleet
  const aliases = Object.keys(configuration.models)
  let requests = 0

  async function pass(forSeconds: number, perSecond: number): Promise<void> {
    for (let tick = 0; tick < forSeconds * TICKS_A_SECOND; tick += 1) {
      const busy = fleet.filter((_, index) => (tick + index) % (TICKS_A_SECOND / perSecond) === 0)
      await Promise.all(
        busy.map(async gateway => {
          requests += 1
          await ask(gateway, { model: aliases[requests % aliases.length] })
          await gateway.settled()
        }),
      )
      if (tick % (SECONDS_A_PROBE_RUN * TICKS_A_SECOND) === 0) await prober?.probe(false)
      await clock.sleep(TICK_MS, FOR_EVER)
    }
  }

  await pass(warmUpSeconds, TICKS_A_SECOND)
  store.reset()
  requests = 0
  const beganAt = clock.now()
  await pass(seconds, scenario.perSecond)
  // A retry waits, and with it whoever is under way at the same time.
  const took = (clock.now() - beganAt) / 1_000
  const cost = {
    instances,
    requests,
    seconds: took,
    units: new Map(store.units),
    largest: new Map(store.largest),
  }
  await Promise.all(fleet.map(gateway => gateway.close()))
  return cost
}
