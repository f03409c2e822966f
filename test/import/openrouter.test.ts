import { expect, test } from 'vitest'
import { importSource } from '../../infra/import/import-source.ts'
import { noteLines } from '../../infra/import/note-lines.ts'

const imported = (document: unknown) => importSource('openrouter', document, { variables: {} })

test('models are tiers at OpenRouter, with the preferences of the request', () => {
  const provider = {
    order: ['groq', 'together'],
    allow_fallbacks: false,
    ignore: ['friendli'],
    sort: 'throughput',
    quantizations: ['fp8'],
    max_price: { prompt: 1 },
  }
  const { config, keys, notes } = imported({
    models: ['openai/gpt-4o', 'deepseek/deepseek-chat:free'],
    route: 'fallback',
    provider,
    temperature: 0,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  expect(config).toEqual({
    models: {
      'openai/gpt-4o': {
        tiers: [
          [{ endpoint: 'openrouter/openai/gpt-4o', body: { provider, temperature: 0 } }],
          [{ endpoint: 'openrouter/deepseek/deepseek-chat:free', body: { provider, temperature: 0 } }],
        ],
      },
    },
  })
  expect(keys.map(({ variable }) => variable)).toEqual(['OPENROUTER_API_KEY'])
  expect(noteLines(notes).join('\n')).toMatch(/provider.allow_fallbacks.*x-backstop-fallback: off/)
})

test('a preset is an alias of its name', () => {
  const { config } = imported({ slug: 'summaries', config: { model: 'a/b', models: ['a/b', 'c/d'] } })
  expect(config.models).toEqual({ summaries: { tiers: [['openrouter/a/b'], ['openrouter/c/d']] } })
})

test('a request without a model is refused', () => {
  expect(() => imported({ messages: [] })).toThrow(/no model that can be called/)
})
