import { expect, test } from 'vitest'
import shipped from '#gateway-config'
import { recogniseSource } from '../../infra/import/recognise-source.ts'

test.each<[string, unknown, string | null]>([
  ['model_list', { model_list: [] }, 'litellm'],
  ['the values of its chart', { proxy_config: { model_list: [] } }, 'litellm'],
  ['settings alone', { litellm_settings: { drop_params: true } }, 'litellm'],
  ['targets', { strategy: { mode: 'fallback' }, targets: [] }, 'portkey'],
  ['one provider', { provider: 'openai', retry: { attempts: 3 } }, 'portkey'],
  ['a virtual key', { virtual_key: 'a' }, 'portkey'],
  ['an exported config', { name: 'a', config: { targets: [] } }, 'portkey'],
  ['a list of models', { models: ['a/b'] }, 'openrouter'],
  ['a request', { model: 'a/b', provider: {} }, 'openrouter'],
  ['the shipped configuration', shipped, null],
  ['models by name', { models: {} }, null],
  ['nothing', null, null],
  ['a list', [], null],
])('%s', (_, document, expected) => {
  expect(recogniseSource(document)).toBe(expected)
})
