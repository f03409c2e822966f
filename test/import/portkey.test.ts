import { describe, expect, test } from 'vitest'
import { importSource } from '../../infra/import/import-source.ts'
import { noteLines } from '../../infra/import/note-lines.ts'

function imported(document: unknown, model?: string) {
  const { config, keys, notes } = importSource('portkey', document, { variables: {}, model })
  return { ...config, keys, lines: noteLines(notes).join('\n') }
}

const target = (provider: string, model?: string, rest: object = {}) => ({
  provider,
  ...(model !== undefined && { override_params: { model } }),
  ...rest,
})

test('fallback is tiers, loadbalance one tier with weights', () => {
  const { models, settings } = imported({
    strategy: { mode: 'fallback', on_status_codes: [429] },
    retry: { attempts: 3 },
    targets: [
      target('openai', 'gpt-4o'),
      {
        strategy: { mode: 'loadbalance' },
        targets: [
          target('groq', 'llama', { weight: 0.7 }),
          target('together-ai', 'meta/llama', { weight: 0.3 }),
        ],
      },
    ],
  })
  expect(models).toEqual({
    'gpt-4o': {
      tiers: [
        ['openai/gpt-4o'],
        [
          { endpoint: 'groq/llama', weight: 0.7 },
          { endpoint: 'together/meta/llama', weight: 0.3 },
        ],
      ],
    },
  })
  expect(settings).toEqual({ retry_max_attempts: 5 })
})

test('a fallback inside of loadbalance stands behind all that is balanced', () => {
  const { models, lines } = imported({
    strategy: { mode: 'loadbalance' },
    targets: [
      target('groq', 'a', { weight: 3 }),
      { weight: 1, strategy: { mode: 'fallback' }, targets: [target('xai', 'b'), target('openai', 'c')] },
    ],
  })
  expect(models['a']?.tiers).toEqual([
    [
      { endpoint: 'groq/a', weight: 3 },
      { endpoint: 'xai/b', weight: 1 },
    ],
    ['openai/c'],
  ])
  expect(lines).toMatch(/a fallback inside of loadbalance/)
})

describe('a target', () => {
  test.each<[string, object, unknown, string]>([
    [
      'with a virtual key',
      { virtual_key: 'openai-prod-a1b2', override_params: { model: 'gpt-4o' } },
      undefined,
      'openai/gpt-4o',
    ],
    [
      'of an integration',
      { override_params: { model: '@anthropic-team/claude-sonnet-4-5' } },
      undefined,
      'anthropic/claude-sonnet-4-5',
    ],
    ['whose provider is an integration', target('@mistral-eu', 'small'), undefined, 'mistral/small'],
    [
      'of Azure',
      target('azure-openai', 'd', { azure_resource_name: 'north' }),
      { azure: { baseUrl: 'https://north.openai.azure.com/openai/v1' } },
      'azure/d',
    ],
    [
      'of Azure, with a deployment',
      target('azure-openai', 'gpt-4o', { azure_resource_name: 'north', azure_deployment_id: 'gpt4o-north' }),
      { azure: { baseUrl: 'https://north.openai.azure.com/openai/v1' } },
      'azure/gpt4o-north',
    ],
    [
      'of Azure, in the older words',
      target('azure-openai', 'm', { resource_name: 'n', deployment_id: 'd', api_version: '2024-10-21' }),
      { azure: { baseUrl: 'https://n.openai.azure.com/openai/v1' } },
      'azure/d',
    ],
    [
      'at a host of its own',
      target('openai', 'm', { custom_host: 'https://llm.corp.example/v1' }),
      { corp: { baseUrl: 'https://llm.corp.example/v1' } },
      'corp/m',
    ],
    [
      'of Ollama',
      target('ollama', 'm', { custom_host: 'http://gpu:11434' }),
      { ollama: { baseUrl: 'http://gpu:11434/v1' } },
      'ollama/m',
    ],
  ])('%s is an endpoint', (_, document, providers, reference) => {
    const found = imported(document)
    expect(found.providers).toEqual(providers)
    expect(Object.values(found.models).map(({ tiers }) => tiers)).toEqual([[[reference]]])
  })

  test('without a model calls the one that clients ask for', () => {
    const document = {
      strategy: { mode: 'fallback' },
      targets: [target('openai'), target('openrouter', 'openai/gpt-4o')],
    }
    expect(imported(document, 'gpt-4o').models).toEqual({
      'gpt-4o': { tiers: [['openai/gpt-4o'], ['openrouter/openai/gpt-4o']] },
    })
    expect(imported(document).lines).toMatch(/import with --model NAME/)
  })

  test('keeps what it adds to requests, and its timeout', () => {
    const { models } = imported(
      target('openai', 'm', { override_params: { model: 'm', temperature: 0 }, request_timeout: 5_000 }),
    )
    expect(models['m']?.tiers).toEqual([
      [{ endpoint: 'openai/m', body: { temperature: 0 }, firstOutputTimeoutMs: 5_000 }],
    ])
  })

  test.each<[string, object, RegExp]>([
    [
      'whose host cannot be told',
      { virtual_key: 'prod-a1b2', override_params: { model: 'm' } },
      /which host "prod-a1b2" is, cannot be told/,
    ],
    ['of Azure without a place', target('azure-openai', 'd'), /add custom_host/],
    ['of Vertex AI', target('vertex-ai', 'gemini'), /Google service account/],
  ])('%s is left out', (_, left, message) => {
    const { models, lines } = imported({
      strategy: { mode: 'fallback' },
      targets: [target('groq', 'kept'), left],
    })
    expect(Object.keys(models)).toEqual(['kept'])
    expect(lines).toMatch(message)
  })
})

test('two virtual keys of a provider are two accounts', () => {
  const { models, keys } = imported({
    strategy: { mode: 'loadbalance' },
    targets: [
      { virtual_key: 'openai-a', override_params: { model: 'm' } },
      { virtual_key: 'openai-b', override_params: { model: 'm' } },
    ],
  })
  expect(models['m']?.tiers[0]).toHaveLength(2)
  expect(keys.map(({ variable }) => variable)).toEqual(['OPENAI_API_KEY', 'OPENAI_B_API_KEY'])
})

test('conditional is an alias for each target, and says which to ask for', () => {
  const { models, lines } = imported(
    {
      strategy: {
        mode: 'conditional',
        // eslint-disable-next-line unicorn/no-thenable -- Portkey's own name
        conditions: [{ query: { 'metadata.plan': { $eq: 'paid' } }, then: 'best' }],
        default: 'cheap',
      },
      targets: [target('openai', 'gpt-4o', { name: 'best' }), target('groq', 'llama', { name: 'cheap' })],
    },
    'chat',
  )
  expect(models).toEqual({
    best: { tiers: [['openai/gpt-4o']] },
    cheap: { tiers: [['groq/llama']] },
    chat: { tiers: [{ alias: 'cheap' }] },
  })
  expect(lines).toContain('let clients send "best"')
})

test('conditional inside of another strategy is its default, and says what is lost', () => {
  const { models, lines } = imported({
    strategy: { mode: 'fallback' },
    targets: [
      target('xai', 'first'),
      {
        strategy: {
          mode: 'conditional',
          // eslint-disable-next-line unicorn/no-thenable -- Portkey's own name
          conditions: [{ query: { 'metadata.plan': { $eq: 'paid' } }, then: 'best' }],
          default: 'cheap',
        },
        targets: [target('openai', 'gpt-4o', { name: 'best' }), target('groq', 'llama', { name: 'cheap' })],
      },
    ],
  })
  expect(models).toEqual({ first: { tiers: [['xai/first'], ['groq/llama']] } })
  expect(lines).toMatch(
    /the condition \{"metadata.plan".*further targets of a conditional inside: .*default target alone/,
  )
})

test('what has no counterpart is told, and no key is', () => {
  const { lines, config } = {
    config: '',
    ...imported({
      strategy: { mode: 'single' },
      cache: { mode: 'semantic' },
      input_guardrails: ['pii'],
      frobnicate: 1,
      targets: [target('openai', 'm', { api_key: 'sk-hunter2hunter2', forward_headers: ['x'] })],
    }),
  }
  for (const name of ['cache', 'input_guardrails', 'frobnicate', 'forward_headers'])
    expect(lines).toContain(name)
  expect(lines + config).not.toContain('hunter2')
})
