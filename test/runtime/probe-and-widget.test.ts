import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatStream, errorAnswer, tokens } from '../support/upstreams/chat-bodies.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { chatEvent } from './chat-event.ts'
import { CLIENT_KEY, openCloud, type Cloud } from './cloud.ts'
import type { LambdaInstance } from './lambda-instance.ts'
import { tellSkipped } from '../support/tell-skipped.ts'
import { missingForLambdaRic } from './lambda-ric.ts'
import type { Answered } from './runtime-api.ts'

const missing = tellSkipped("probe, widget and canary under Lambda's runtime client", missingForLambdaRic())

const valueOf = ({ kind, chunks }: Answered): unknown => {
  const text = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()
  expect([kind, text]).toEqual(['answered', text])
  return JSON.parse(text) as unknown
}

const GONE = errorAnswer(404, {
  message: 'The model `gone` has been decommissioned.',
  code: 'model_decommissioned',
})

describe.skipIf(missing !== null)(
  `probe, widget and canary under Lambda's runtime client${missing ? ` (${missing})` : ''}`,
  () => {
    let upstream: ScriptedUpstream
    let cloud: Cloud
    const instances: LambdaInstance[] = []

    async function start(
      name: 'Gateway' | 'Probe' | 'Widget' | 'Canary',
      variables: Record<string, string> = {},
    ): Promise<LambdaInstance> {
      const instance = await cloud.start(name, variables)
      instances.push(instance)
      return instance
    }

    beforeAll(async () => {
      upstream = await startUpstream({ gone: [GONE], well: [chatStream(tokens(2))] })
      cloud = await openCloud({
        providers: { local: { baseUrl: upstream.url, key: false } },
        models: { chat: { tiers: [['local/gone'], ['local/well']] } },
        deploy: { canary: true },
      })
      const gateway = await start('Gateway')
      for (const _ of [1, 2]) await gateway.api.invoke(chatEvent())
    }, 120_000)

    afterAll(async () => {
      for (const instance of instances) await instance.close()
      await cloud?.[Symbol.asyncDispose]()
      await upstream?.close()
    })

    it('the widget draws what the gateway has learnt', async () => {
      const { api } = await start('Widget')
      const markup = valueOf(await api.invoke({ widgetContext: { theme: 'dark' } }))
      const text = String(markup).replaceAll(/<[^>]*>/g, '')
      expect(text).toEqual(expect.stringMatching(/local\/gone.*suspect.*decommissioned/s))
      expect(valueOf(await api.invoke({ describe: true }))).toEqual(expect.stringMatching(/^## Backstop/))
    })

    it('the probe asks what is ill, and readmits it when it answers', async () => {
      const probe = await start('Probe')
      expect(valueOf(await probe.api.invoke({}))).toEqual({ probes: [] })
      upstream.play([chatStream(tokens(2))])
      const report = valueOf(await probe.api.invoke({ force: true }))
      expect(report).toMatchObject({ probes: [{ endpoint: 'local/gone', outcome: 'ok' }] })
      const lines = probe.logged()
      expect(lines).toContainEqual(expect.objectContaining({ event: 'probe', Probes: 1, provider: 'local' }))
      expect(lines).toContainEqual(
        expect.objectContaining({ event: 'health-transition', to: 'healthy', HealthTransitions: 1 }),
      )
    })

    it('the canary asks through the URL, and its log says why it got no answer', async () => {
      await using gateway = await startGateway(configOf({ local: upstream.url }, [['local/well']]), {
        BACKSTOP_CLIENT_KEYS: CLIENT_KEY,
      })
      const { api, output } = await start('Canary', { BACKSTOP_URL: `${gateway.url}/` })
      upstream.play([chatStream(tokens(1))])
      expect(valueOf(await api.invoke({}))).toMatchObject({ model: 'chat', finishReason: 'stop' })
      expect(output()).toBe('')
      upstream.play([errorAnswer(500, {})])
      expect(await api.invoke({})).toMatchObject({ kind: 'failed' })
      expect(output()).toMatch(/The canary's request for the model 'chat' failed: HTTP 50\d/)
      expect(output()).not.toContain(CLIENT_KEY)
    })
  },
)
