import { describe, expect, test } from 'vitest'
import shippedConfig from '#gateway-config'
import { addDemonstrations } from '../../../infra/local/simulated/demonstration.ts'
import { simulateUnkeyed } from '../../../infra/local/simulated/simulate-unkeyed.ts'
import { type GatewayConfig, parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'

const baseUrlOf = (provider: string): string => `http://127.0.0.1:9/${provider}/v1`

const CONFIG = parseGatewayConfig({
  providers: {
    groq: { firstOutputTimeoutMs: 5_000 },
    office: { baseUrl: 'https://llm.example.com/v1' },
    mistral: { baseUrl: 'https://mistral.example.com/v1' },
    cohere: { key: false },
  },
  models: {
    a: {
      tiers: [
        ['openai/gpt-4o', { endpoint: 'groq/llama', tools: true }],
        ['office/llama', 'ollama/llama'],
      ],
    },
    b: { tiers: [['mistral/small'], ['openai/gpt-4o-mini'], ['cohere/command']] },
  },
})

describe('simulateUnkeyed', () => {
  test('simulates the providers of the catalogue that lack the key they need, and no others', () => {
    const { config, providerKeys, simulated } = simulateUnkeyed(CONFIG, new Map(), baseUrlOf)
    expect(simulated).toEqual(['openai', 'groq'])
    expect(config.providers).toEqual({
      ...CONFIG.providers,
      openai: { baseUrl: baseUrlOf('openai') },
      groq: { baseUrl: baseUrlOf('groq'), firstOutputTimeoutMs: 5_000 },
    })
    expect([...providerKeys.keys()]).toEqual(['openai', 'groq'])
    expect(parseGatewayConfig(config)).toBe(config)
  })

  test('brings the other APIs of a provider under its base URL, where they are elsewhere on its host', () => {
    const models = { a: { tiers: [['deepseek/chat'], ['fireworks/kimi']] } }
    const asked = parseGatewayConfig({ providers: { fireworks: { wires: { messages: false } } }, models })
    const { config } = simulateUnkeyed(asked, new Map(), baseUrlOf)
    expect(config.providers?.deepseek?.wires).toEqual({ messages: { path: 'messages' } })
    expect(config.providers?.fireworks?.wires).toEqual({ messages: false })
  })

  test('leaves a provider with a key real', () => {
    const keys = new Map([['openai', ['sk-1', 'sk-2']]])
    const { config, providerKeys, simulated } = simulateUnkeyed(CONFIG, keys, baseUrlOf)
    expect(simulated).toEqual(['groq'])
    expect(config.providers?.openai).toBeUndefined()
    expect(providerKeys.get('openai')).toEqual(['sk-1', 'sk-2'])
  })

  test('changes nothing where every provider has its key', () => {
    const keys = new Map(['openai', 'groq'].map(id => [id, ['key']] as const))
    expect(simulateUnkeyed(CONFIG, keys, baseUrlOf)).toEqual({
      config: CONFIG,
      providerKeys: keys,
      simulated: [],
    })
  })

  test('never changes what it was given', () => {
    const before = structuredClone(CONFIG)
    simulateUnkeyed(CONFIG, new Map(), baseUrlOf)
    expect(CONFIG).toEqual(before)
  })

  test('covers the shipped configuration', () => {
    const { simulated } = simulateUnkeyed(parseGatewayConfig(shippedConfig), new Map(), baseUrlOf)
    expect(simulated).toEqual(expect.arrayContaining(['openai', 'openrouter', 'groq']))
  })
})

describe('addDemonstrations', () => {
  test('adds at least three aliases after those of the owner, all valid', () => {
    const { config, added } = addDemonstrations(CONFIG, baseUrlOf)
    expect(Object.keys(config.models)).toEqual(['a', 'b', ...added])
    expect(added).toEqual(expect.arrayContaining(['demo-dead-host', 'demo-slow', 'demo-cut']))
    expect(parseGatewayConfig(config)).toBe(config)
  })

  test('never replaces an alias of the owner', () => {
    const owned: GatewayConfig = { ...CONFIG, models: { 'demo-cut': { tiers: [['openai/gpt-4o']] } } }
    const { config, added } = addDemonstrations(owned, baseUrlOf)
    expect(config.models['demo-cut']).toEqual(owned.models['demo-cut'])
    expect(added).not.toContain('demo-cut')
  })

  test('adds nothing where the owner has a provider of the same name', () => {
    const owned = {
      ...CONFIG,
      providers: { simulated: { baseUrl: 'https://example.com/v1' } },
    } as GatewayConfig
    expect(addDemonstrations(owned, baseUrlOf)).toEqual({ config: owned, added: [] })
  })
})
