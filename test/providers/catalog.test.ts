import { describe, expect, expectTypeOf, test } from 'vitest'
import { PROVIDER_IDS, findProvider, providerRow } from '../../lambdas/providers/catalog.ts'
import type { ProviderId } from '../../lambdas/providers/catalog.ts'
import { DROPPABLE_PARAMS } from '../../lambdas/core/refusals/refusals.ts'
import { quirksOf } from '../../lambdas/providers/provider-row.ts'

/** Fields that change what the model answers: a row may rename them, never lose them. */
const MEANINGFUL = new Set([
  'messages',
  'tools',
  'tool_choice',
  'response_format',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'max_tokens',
  'max_completion_tokens',
  'reasoning_effort',
  'n',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
])

describe.each(PROVIDER_IDS)('the row of %s', id => {
  const row = providerRow(id)

  test('has a base URL that takes a path, or shows what one looks like', () => {
    const baseUrl =
      row.baseUrl?.replace('{region}', 'eu-west-1') ?? row.baseUrlExample?.replace('<account id>', '0123abcd')
    expect(baseUrl).toMatch(/^https?:\/\/[^\s?#@]+[^/]$/)
    expect(URL.canParse(baseUrl ?? '')).toBe(true)
  })

  test('drops only what may be dropped, never what changes the answer', () => {
    for (const quirks of [row.quirks, { ...row.quirks, ...row.modelQuirks?.quirks }]) {
      expect(quirks.droppedFields.filter(name => MEANINGFUL.has(name))).toEqual([])
      expect(quirks.droppedFields.filter(name => !DROPPABLE_PARAMS.has(name))).toEqual([])
    }
  })
})

test.each(PROVIDER_IDS)('the further APIs of %s are on https, or on this machine', id => {
  const { baseUrl, baseUrlExample, wires } = providerRow(id)
  const base = `${baseUrl ?? baseUrlExample}/`.replace('{region}', 'eu-west-1')
  for (const { path } of Object.values(wires)) {
    const url = new URL(path.replace('{region}', 'eu-west-1'), base)
    expect(url.href).toMatch(/^(?:https:|http:\/\/127\.0\.0\.1)[^?#]*\/(?:responses|messages)$/)
  }
})

test.each([
  ['openrouter', 'https://openrouter.ai/api/v1/messages'],
  ['zhipu', 'https://open.bigmodel.cn/api/anthropic/v1/messages'],
  ['fireworks', 'https://api.fireworks.ai/inference/v1/messages'],
])('%s serves Messages at %s', (id, url) => {
  const { baseUrl, wires } = providerRow(id)
  expect(new URL(wires.messages?.path ?? '', `${baseUrl}/`).href).toBe(url)
})

test('the list of what may be dropped holds nothing that changes the answer', () => {
  expect([...DROPPABLE_PARAMS].filter(name => MEANINGFUL.has(name))).toEqual([])
})

test.each(PROVIDER_IDS.filter(id => providerRow(id).needsKey))('%s is sent its key over https', id => {
  const row = providerRow(id)
  expect(row.baseUrl ?? row.baseUrlExample).toMatch(/^https:/)
})

test('every base URL is used once', () => {
  const urls = PROVIDER_IDS.map(id => providerRow(id).baseUrl).filter(url => url !== null)
  expect(new Set(urls).size).toBe(urls.length)
})

test('zhipu has the quirks of zai and a host of its own', () => {
  expect(findProvider('zhipu')).toEqual({
    ...findProvider('zai'),
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  })
})

test.each(['nobody', '', 'constructor', '__proto__', 'OpenAI'])('%j is not in the catalogue', id => {
  expect(findProvider(id)).toBeUndefined()
})

test('an unknown provider is an OpenAI-compatible host that gets everything the client sent', () => {
  const { baseUrl, authentication, needsKey, quirks } = providerRow('nobody')
  expect({ baseUrl, authentication, needsKey }).toEqual({
    baseUrl: null,
    authentication: 'bearer',
    needsKey: true,
  })
  expect(quirks.droppedFields).toEqual([])
})

test.each([
  ['openai', 'gpt-5-mini', [['max_tokens', 'max_completion_tokens']]],
  ['openai', 'o3', [['max_tokens', 'max_completion_tokens']]],
  ['openai', 'gpt-4o', []],
  ['openai', 'omni-moderation', []],
])('%s calls the token limit of %s by %j', (provider, model, renames) => {
  expect(quirksOf(providerRow(provider), model).renamedFields).toEqual(renames)
})

test('ids are known to the compiler', () => {
  expectTypeOf<'groq'>().toExtend<ProviderId>()
  expectTypeOf<'zhipu'>().toExtend<ProviderId>()
  expectTypeOf<'opnai'>().not.toExtend<ProviderId>()
})
