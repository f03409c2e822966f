import { afterEach, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { closedPort } from '../support/upstreams/closed-port.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'

/** Longer than a look is fresh, and than an instance believes its own writes before the table's. */
const NEWS_MS = 2_001

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
})

async function upstream(script: UpstreamScript, options = {}): Promise<ScriptedUpstream> {
  const started = await startUpstream(script, options)
  open.push(started)
  return started
}

const healthy = () => chatStream(['here'])

/** Two aliases over six endpoints, of which two work. */
async function startStory() {
  const unavailable = await upstream([errorAnswer(400, { message: 'Model is unavailable' })])
  const missing = await upstream([errorAnswer(404, { message: 'model not available' })])
  const refused = `http://127.0.0.1:${await closedPort()}/v1`
  const badTls = await upstream([healthy()], { tls: true })
  const works = await upstream([healthy()])
  const urls = { zen: unavailable.url, relay: missing.url, dead: refused, tls: badTls.url, good: works.url }
  const providers = Object.fromEntries(
    Object.entries(urls).map(([id, baseUrl]) => [id, { baseUrl, key: false }]),
  )
  const models = {
    chat: { tiers: [['zen/m'], ['relay/m'], ['dead/m'], ['good/m']] },
    other: { tiers: [['tls/m'], ['good/m']] },
  }
  const clock = createVirtualClock()
  const gateway = await startGateway({ providers, models }, {}, { clock })
  open.push(gateway)
  return { clock, gateway, unavailable, missing, badTls, works }
}

type Rows = { data: { endpoint: string; health: string; next_probe_at: number | null }[] }

async function healthOf(gateway: { url: string }): Promise<Record<string, string>> {
  const response = await fetch(`${gateway.url}/v1/endpoints`)
  const { data } = (await response.json()) as Rows
  return Object.fromEntries(data.map(({ endpoint, health }) => [endpoint, health]))
}

it('pays twice for dead endpoints, quarantines them by probes, and readmits by evidence', async () => {
  const { clock, gateway, unavailable, missing, works } = await startStory()

  for (const _ of [1, 2]) {
    const answer = await ask(gateway)
    expect(answer.headers.get('x-backstop-attempts')).toBe('4')
    await ask(gateway, { model: 'other' })
  }
  const suspects = { 'zen/m': 'suspect', 'relay/m': 'suspect', 'dead/m': 'suspect', 'tls/m': 'suspect' }
  await expect.poll(() => healthOf(gateway)).toMatchObject({ ...suspects, 'good/m': 'healthy' })

  const calls = [unavailable.calls(), missing.calls()]
  for (const model of ['chat', 'other', 'chat']) {
    const answer = await ask(gateway, { model })
    expect(answer.headers.get('x-backstop-attempts')).toBe('1')
    expect(answer.headers.get('x-backstop-served-by')).toBe('good/m')
  }
  expect([unavailable.calls(), missing.calls()]).toEqual(calls)

  await gateway.probe()
  await gateway.probe()
  const quarantined = {
    'zen/m': 'quarantined',
    'relay/m': 'quarantined',
    'dead/m': 'quarantined',
    'tls/m': 'quarantined',
  }
  clock.pass(NEWS_MS)
  expect(await healthOf(gateway)).toMatchObject(quarantined)
  const skipped = (await ask(gateway)).headers.get('x-backstop-skipped') ?? ''
  expect(skipped).toMatch(/^zen\/m;quarantined;\d+, relay\/m;quarantined;\d+, dead\/m;quarantined;\d+$/)

  unavailable.play([healthy()])
  const before = unavailable.calls()
  const { probes } = await gateway.probe()
  expect(probes.find(({ endpoint }) => endpoint === 'zen/m')?.outcome).toBe('ok')
  expect(unavailable.calls()).toBe(before + 1)
  const servedBy = async () => (await ask(gateway)).headers.get('x-backstop-served-by')
  clock.pass(NEWS_MS)
  expect(await servedBy()).toBe('zen/m')
  expect(works.calls()).toBeGreaterThan(0)
  expect(gateway.completed.every(({ outcome }) => outcome === 'answered')).toBe(true)
  expect(gateway.handlerErrors).toEqual([])
})

it('names what it knows when nothing is left', async () => {
  const gone = await upstream([errorAnswer(410, { message: 'The model has been decommissioned.' })])
  const gateway = await startGateway({
    providers: { a: { baseUrl: gone.url, key: false } },
    models: { chat: { tiers: [['a/m']] } },
  })
  open.push(gateway)
  await ask(gateway)
  await expect.poll(() => healthOf(gateway)).toMatchObject({ 'a/m': 'suspect' })
  await ask(gateway)
  await expect.poll(() => healthOf(gateway)).toMatchObject({ 'a/m': 'quarantined' })
  await expect
    .poll(async () => (await ask(gateway)).error)
    .toMatchObject({ code: 'all_quarantined', message: expect.stringContaining('quarantined') })
  const answer = await ask(gateway)
  expect(answer.status).toBe(503)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(gone.calls()).toBe(3)
})
