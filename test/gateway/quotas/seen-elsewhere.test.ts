import { expect, it } from 'vitest'
import { ask } from '../../support/ask.ts'
import { createWorld, startGateway, type World } from '../../support/start-gateway.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import type { UpstreamScript } from '../../support/upstreams/answer-script.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../../fleet/instances/end-after-each.ts'

const open = endAfterEach()

async function startOneAtATime(world: World, script: UpstreamScript) {
  const up = open(await startUpstream(script, { clock: world.clock }))
  const configuration = {
    providers: { up: { baseUrl: up.url, key: false, quotas: { concurrency: 1 } } },
    models: { chat: { tiers: [['up/m']] } },
    settings: { retry_total_wait_ms: 0, retry_max_attempts: 1, local_cooldown_max_ms: 0 },
  }
  return { up, gateway: open(await startGateway(configuration, {}, world)) }
}

// https://github.com/BerriAI/litellm/issues/27955
it('a client that leaves in mid-stream gives its place back', async () => {
  const world = createWorld()
  const { up, gateway } = await startOneAtATime(world, [
    { ...chatStream(['a', 'b']), end: 'silence', chunks: (chatStream(['a']).chunks ?? []).slice(0, 2) },
    chatStream(['here']),
  ])
  const left = new AbortController()
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    signal: left.signal,
  })
  expect(response.status).toBe(200)
  const reader = response.body?.getReader()
  await reader?.read()
  left.abort()
  await gateway.settled()
  expect(await ask(gateway)).toMatchObject({ status: 200, content: 'here' })
  expect(up.calls()).toBe(2)
})

// https://github.com/BerriAI/litellm/issues/20256
it('calls that time out or fail give their places back', async () => {
  const world = createWorld()
  const { gateway } = await startOneAtATime(world, [
    { fault: 'no-response' },
    errorAnswer(502, { message: 'Bad gateway' }),
    { fault: 'reset-before-headers' },
    chatStream(['here']),
  ])
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) {
    statuses.push((await ask(gateway)).status)
    await gateway.settled()
  }
  expect(statuses.slice(0, 3)).not.toContain(429)
  expect(statuses[3]).toBe(200)
})

// https://github.com/BerriAI/litellm/issues/8430
it('four endpoints of six requests a minute serve twenty-four, from several gateways at once', async () => {
  const world = createWorld()
  const up = open(await startUpstream([chatStream(['here'])], { clock: world.clock }))
  const models = ['a', 'b', 'c', 'd']
  const configuration = {
    providers: { up: { baseUrl: up.url, key: false } },
    models: {
      chat: {
        tiers: [models.map(model => ({ endpoint: `up/${model}`, quotas: { requestsPerMinute: 6 } }))],
      },
    },
    settings: { retry_total_wait_ms: 0 },
  }
  const gateways = [
    open(await startGateway(configuration, {}, world)),
    open(await startGateway(configuration, {}, world)),
    open(await startGateway(configuration, {}, world)),
  ]
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => {
      const gateway = gateways[index % gateways.length]
      return gateway ? ask(gateway) : expect.fail('no gateway')
    }),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(24)
  expect(models.map(model => up.calls(model))).toEqual([6, 6, 6, 6])
})
