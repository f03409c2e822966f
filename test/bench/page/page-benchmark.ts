import type { CDPSession } from 'playwright-core'
import { createLocalLog } from '../../../infra/local/local-log.ts'
import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { type LocalGateway, startLocalGateway } from '../../../infra/local/start-local-gateway.ts'
import { servePage } from '../../../infra/operate/page/serve-page.ts'
import { createPage } from '../../../infra/page/page-routes.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { completedRequest } from '../../local/completed-request.ts'
import { launchChromium, missing, openPage } from '../../page/browser/chromium.ts'
import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'

const MODELS = 40
const PER_MODEL = 15
const REQUESTS = 100_000
const MEBIBYTE = 1024 * 1024

const modelAt = (index: number): string => `model-${index % MODELS}`

/** 600 endpoints, half of them without a key: many are skipped, and none is ever called. */
function startGateway(): Promise<LocalGateway> {
  const providers = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `host-${index}`,
      { baseUrl: 'http://127.0.0.1:9/v1', ...(index % 2 === 0 && { key: false }) },
    ]),
  )
  const models = Object.fromEntries(
    Array.from({ length: MODELS }, (_, model) => [
      modelAt(model),
      {
        tiers: Array.from({ length: PER_MODEL }, (_, tier) => [
          `host-${(model + tier + 1) % 30}/${model}-${tier}`,
        ]),
      },
    ]),
  )
  const memory = createRequestMemory()
  return startLocalGateway({
    config: parseGatewayConfig({ providers, models }),
    variables: {},
    port: 0,
    memory,
    log: createLocalLog({ memory, json: false, write: () => undefined }),
    onHandlerError: console.error,
  })
}

/** In milliseconds of this process, all its threads. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function metricsOf(session: CDPSession): Promise<{ busyMs: number; heapMiB: number }> {
  const { metrics } = await session.send('Performance.getMetrics')
  const valueOf = (name: string): number => metrics.find(metric => metric.name === name)?.value ?? 0
  return { busyMs: valueOf('TaskDuration') * 1_000, heapMiB: valueOf('JSHeapUsedSize') / MEBIBYTE }
}

/** Of CPU, but for heaps. A push tells a page that is open what has changed. */
type PageResults = {
  noteUs: number
  readCpuMs: number
  serverCpuMsAPush: number
  browserMsAPush: number
  heapMiB: { most: number; afterCollection: number }
  serverHeapMiB: number
}

/** What the live page costs: 600 endpoints, 100,000 requests, each push with every card and fifty rows changed. */
export const pageBenchmark: Benchmark<PageResults> = {
  missing: () => missing,
  async run({ short }) {
    const gateway = await startGateway()
    const never = (): Promise<never> => Promise.reject(new Error('there is none in a benchmark'))
    const page = createPage(
      {
        facts: () => ({
          baseUrl: gateway.facts.url,
          stack: null,
          fleetWords: '',
          memory: '',
          curlOptions: [],
          requestsNote: null,
        }),
        call: path => fetch(gateway.facts.url + path),
        store: { readUsage: never },
        tools: never,
        probe: never,
        find: never,
        readEveryMs: {
          models: { idleMs: 5_000, newsMs: 1_000 },
          table: { idleMs: 600_000, newsMs: 600_000 },
        },
      },
      { guarded: false },
    )
    const served = await servePage(page, 0)
    const browser = await launchChromium()
    try {
      const base = completedRequest()
      let told = 0
      const tell = (count: number): void => {
        for (const until = told + count; told < until; told += 1)
          page.note({ ...base, alias: modelAt(told), requestId: `request-${told}` }, Date.now())
      }
      const before = cpuMs()
      tell(REQUESTS)
      const noteUs = ((cpuMs() - before) / REQUESTS) * 1_000
      const opened = await openPage(browser, served.url, { viewport: { width: 1280, height: 800 } })
      const session = await opened.page.context().newCDPSession(opened.page)
      await session.send('Performance.enable', { timeDomain: 'threadTicks' })
      await opened.page.locator('.card').first().waitFor()
      const pushes = short ? 5 : 20
      const readingFrom = cpuMs()
      for (let read = 0; read < pushes; read += 1)
        await (await fetch(`${gateway.facts.url}/v1/endpoints`)).text()
      const readCpuMs = (cpuMs() - readingFrom) / pushes
      const begin = { cpu: cpuMs(), ...(await metricsOf(session)) }
      for (let push = 0; push < pushes; push += 1) {
        tell(MODELS * 2)
        await opened.page.locator('#numbers', { hasText: `(${told.toLocaleString('en-US')})` }).waitFor()
      }
      const end = { cpu: cpuMs(), ...(await metricsOf(session)) }
      await session.send('HeapProfiler.collectGarbage')
      const { heapMiB } = await metricsOf(session)
      const results = {
        noteUs,
        readCpuMs,
        serverCpuMsAPush: (end.cpu - begin.cpu) / pushes,
        browserMsAPush: (end.busyMs - begin.busyMs) / pushes,
        heapMiB: { most: end.heapMiB, afterCollection: heapMiB },
        serverHeapMiB: process.memoryUsage().heapUsed / MEBIBYTE,
      }
      console.log(
        `The live page with ${MODELS * PER_MODEL} endpoints after ${REQUESTS.toLocaleString('en-US')} requests, ${pushes} pushes`,
      )
      console.log(`  a request costs the server   ${noteUs.toFixed(1)} µs of CPU`)
      console.log(
        `  a push costs the server      ${results.serverCpuMsAPush.toFixed(0)} ms of CPU, ${readCpuMs.toFixed(0)} ms of it in the gateway that tells its state`,
      )
      console.log(`  a push costs the browser     ${results.browserMsAPush.toFixed(0)} ms of its main thread`)
      console.log(
        `  heap of the page             ${end.heapMiB.toFixed(1)} MiB, ${heapMiB.toFixed(1)} MiB after a collection`,
      )
      return results
    } finally {
      await browser.close()
      await served.close()
      await gateway.close()
    }
  },
  fragments: ({ noteUs, serverCpuMsAPush, browserMsAPush, heapMiB }, { date }) => [
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `a request costs the server ${noteUs.toFixed(1)} µs of CPU, a push ${serverCpuMsAPush.toFixed(0)} ms, and the browser ${browserMsAPush.toFixed(0)} ms; the page's heap is ${heapMiB.afterCollection.toFixed(1)} MiB (${longDate(date)})`,
    },
  ],
}
