import { endAfterEach } from '../../fleet/instances/end-after-each.ts'
import { createWorld, startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { startCollector, type Collector } from '../../support/tracing/start-collector.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'

export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
export const SPAN = '00f067aa0ba902b7'
export const PARENT = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'congo=t61rcWkgMzE' }

/** 5 tokens in and 1 out, as the test upstreams count: 0.0002 dollars. */
export const PRICE = { input: 20, output: 100 }

type Options = {
  variables?: Record<string, string>
  alias?: object
  /** The endpoints stand in one tier instead of one each. */
  replicas?: boolean
  endpoint?: object
  provider?: object
}

/** Starts a gateway whose alias `chat` has these upstreams (`a/m`, `b/m`, …), and a collector of its spans. */
export function tracedStarter() {
  const open = endAfterEach()
  return async function startTraced(scripts: readonly UpstreamScript[], options: Options = {}) {
    const world = createWorld()
    const collector: Collector = open(await startCollector())
    const upstreams: ScriptedUpstream[] = []
    for (const script of scripts) upstreams.push(open(await startUpstream(script, world)))
    const idOf = (at: number): string => String.fromCharCode(97 + at)
    const providers = Object.fromEntries(
      upstreams.map(({ url }, at) => [idOf(at), { baseUrl: url, key: false, ...options.provider }]),
    )
    const endpoints = upstreams.map((_, at) => ({
      endpoint: `${idOf(at)}/m`,
      price: PRICE,
      ...options.endpoint,
    }))
    const tiers = options.replicas ? [endpoints] : endpoints.map(endpoint => [endpoint])
    const models = { chat: { tiers, ...options.alias } }
    const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...options.variables }
    const gateway: TestGateway = open(await startGateway({ providers, models }, variables, world))
    return { ...world, collector, upstreams, gateway }
  }
}

/** The context that an upstream was sent. */
export function contextAt(upstream: ScriptedUpstream | undefined, request = 0) {
  const headers = upstream?.requests[request]?.headers
  const [, traceId, spanId, flags] = String(headers?.['traceparent']).split('-')
  return { traceId, spanId, flags, state: headers?.['tracestate'] }
}
