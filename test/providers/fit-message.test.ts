import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../lambdas/core/json.ts'
import { providerRow } from '../../lambdas/providers/catalog.ts'
import { fitMessage } from '../../lambdas/providers/fit-message.ts'
import { quirksOf } from '../../lambdas/providers/provider-row.ts'

const fit = (provider: string, message: Json, model = 'm') =>
  fitMessage(message, quirksOf(providerRow(provider), model))

const call = (extra: JsonObject = {}): JsonObject => ({
  id: 'c1',
  type: 'function',
  function: { name: 'look', arguments: '{}' },
  ...extra,
})
const round = (content: Json) => ({ role: 'assistant', content, tool_calls: [call()] })
const SIGNATURE = 'skip_thought_signature_validator'
const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } })

describe('roles', () => {
  test.each([
    ['openai', 'developer'],
    ['azure-openai', 'developer'],
    ['groq', 'system'],
    ['deepseek', 'system'],
    ['office', 'system'],
  ])('%s gets a developer as %s', (provider, role) => {
    const message = { role: 'developer', content: 'x' }
    expect(fit(provider, message)).toEqual({ role, content: 'x' })
  })
})

describe('reasoning in the history', () => {
  const message = { role: 'assistant', content: 'x', reasoning_content: 'r', reasoning: 'r' }

  test.each(['groq', 'mistral', 'openai', 'gemini', 'cohere'])('is not sent to %s', provider => {
    expect(fit(provider, message)).toEqual({ role: 'assistant', content: 'x' })
  })

  test.each(['deepseek', 'openrouter', 'moonshot', 'vllm', 'office'])('is kept for %s', provider => {
    expect(fit(provider, message)).toEqual(message)
  })

  test('goes to cerebras under the name by which it hands it out', () => {
    expect(fit('cerebras', message)).toEqual({ role: 'assistant', content: 'x', reasoning: 'r' })
  })

  test("is of no concern in a user's message", () => {
    const user = { role: 'user', content: 'x', reasoning: 'mine' }
    expect(fit('groq', user)).toEqual(user)
  })

  test('is stood in for where deepseek and Kimi demand it of a tool round it did not make', () => {
    const round = { role: 'assistant', content: null, tool_calls: [call()] }
    expect(fit('moonshot', round, 'kimi-k2-thinking')).toEqual({ ...round, reasoning_content: ' ' })
    expect(fit('moonshot', round, 'moonshot-v1-8k')).toEqual(round)
    expect(fit('deepseek', round)).toEqual({ ...round, reasoning_content: ' ' })
    expect(fit('deepseek', { ...round, reasoning_content: 'r' })).toEqual({
      ...round,
      reasoning_content: 'r',
    })
  })
})

describe('assistant messages that call tools', () => {
  test.each<[string, Json, Json]>([
    ['deepseek', '', null],
    ['deepseek', null, null],
    ['deepseek', 'let me see', 'let me see'],
    ['mistral', null, ''],
    ['mistral', 'let me see', ''],
    ['cloudflare', null, ''],
    ['cloudflare', 'let me see', 'let me see'],
    ['openai', null, null],
    ['openai', '', ''],
  ])('%s gets the content %j as %j', (provider, content, fitted) => {
    expect(fit(provider, round(content))).toHaveProperty('content', fitted)
  })

  test('content alone is never touched', () => {
    expect(fit('deepseek', { role: 'assistant', content: '' })).toEqual({ role: 'assistant', content: '' })
  })

  test('reasoning under another name is what deepseek gets', () => {
    const message = { role: 'assistant', content: null, tool_calls: [call()], reasoning: 'r' }
    expect(fit('deepseek', message)).toHaveProperty('reasoning_content', 'r')
  })

  test("Gemini's signature is kept from hosts that refuse it", () => {
    const message = { role: 'assistant', content: null, tool_calls: [call(signed('abc'))] }
    expect(fit('groq', message)).toEqual({ role: 'assistant', content: null, tool_calls: [call()] })
    expect(fit('openrouter', message)).toEqual(message)
  })

  test('Gemini 3 gets its own signature back, and a stand-in where another model made the call', () => {
    const own = { role: 'assistant', content: null, tool_calls: [call(signed('abc')), call()] }
    const foreign = { role: 'assistant', content: null, tool_calls: [call(), call()] }
    const stoodIn = { ...foreign, tool_calls: [call(signed(SIGNATURE)), call()] }
    expect(fit('gemini', own, 'gemini-3-pro-preview')).toEqual(own)
    expect(fit('gemini', foreign, 'models/gemini-3-flash')).toEqual(stoodIn)
    expect(fit('gemini', foreign, 'gemini-2.5-flash')).toEqual(foreign)
  })
})

describe('what OpenAI hands out empty', () => {
  const message = { role: 'assistant', content: 'x', refusal: null, annotations: [], audio: null }

  test('is not sent to hosts that check their input', () => {
    expect(fit('groq', message)).toEqual({ role: 'assistant', content: 'x' })
  })

  test('is sent where it says something', () => {
    const refused = { role: 'assistant', content: null, refusal: 'no' }
    expect(fit('groq', refused)).toEqual(refused)
  })

  test('is left alone elsewhere', () => {
    expect(fit('office', message)).toEqual(message)
  })
})

describe('content in parts', () => {
  const text = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]
  const image = [
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: { url: 'data:,' } },
  ]

  test.each(['cloudflare', 'groq'])('is one text for %s', provider => {
    expect(fit(provider, { role: 'user', content: text })).toEqual({ role: 'user', content: 'a\nb' })
  })

  test('stays in parts where an image is among them, and elsewhere', () => {
    expect(fit('cloudflare', { role: 'user', content: image })).toEqual({ role: 'user', content: image })
    expect(fit('openrouter', { role: 'user', content: text })).toEqual({ role: 'user', content: text })
  })
})

test.each([null, 'text', 4, [[]]])('what is no message passes: %j', value => {
  expect(fit('groq', value)).toEqual(value)
})
