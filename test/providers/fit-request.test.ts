import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { PROVIDER_IDS } from '../../lambdas/providers/catalog.ts'
import { fitRequest } from '../../lambdas/providers/fit-request.ts'
import { endpointAt } from './endpoint-at.ts'

const fit = (provider: string, body: JsonObject, { stream = false, model = 'm' } = {}) =>
  fitRequest(body, endpointAt(provider, model), { stream })

describe('the target', () => {
  test("the model is the endpoint's", () => {
    expect(fit('groq', { model: 'gpt-4o' }, { model: 'llama' })).toEqual({ model: 'llama' })
  })

  test('stream is removed where the answer comes whole, with its options', () => {
    const body = { stream: true, stream_options: { include_usage: true } }
    expect(fit('openai', body)).toEqual({ model: 'm' })
  })

  test('usage is asked for in a stream, beside the other options', () => {
    const body = { stream_options: { include_obfuscation: false, include_usage: false } }
    expect(fit('openai', body, { stream: true })).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_obfuscation: false, include_usage: true },
    })
  })

  test.each(['mistral', 'xai'])('%s gets no stream options at all', provider => {
    const body = { stream_options: { include_usage: true } }
    expect(fit(provider, body, { stream: true })).toEqual({ model: 'm', stream: true })
  })
})

test.each<[string, string, JsonObject, JsonObject]>([
  ['groq', 'loses what only OpenAI stores', { store: true, metadata: {}, user: 'u' }, { user: 'u' }],
  ['openai', 'keeps it', { store: true, metadata: {} }, { store: true, metadata: {} }],
  ['office', 'keeps it too, for nobody knows the host', { store: true }, { store: true }],
  ['mistral', 'calls the seed its own name', { seed: 7 }, { random_seed: 7 }],
  ['mistral', 'takes max_tokens only', { max_completion_tokens: 9 }, { max_tokens: 9 }],
  ['ollama', 'takes max_tokens only', { max_completion_tokens: 9 }, { max_tokens: 9 }],
  ['ollama', 'prefers its own name', { max_tokens: 5, max_completion_tokens: 9 }, { max_tokens: 5 }],
  ['ollama', 'overlooks a null', { max_tokens: null, max_completion_tokens: 9 }, { max_tokens: 9 }],
  ['office', 'never sees a null', { temperature: null, tools: null, x_own: null, seed: 0 }, { seed: 0 }],
  ['cerebras', 'takes the newer name', { max_tokens: 9 }, { max_completion_tokens: 9 }],
  ['openai', 'is left to its clients', { max_tokens: 9 }, { max_tokens: 9 }],
  ['cloudflare', 'cuts short without a limit', {}, { max_tokens: 2_048 }],
  ['cloudflare', 'keeps the limit of the client', { max_completion_tokens: 9 }, { max_tokens: 9 }],
  ['gemini', 'loses parallel_tool_calls', { parallel_tool_calls: true }, {}],
])('%s %s', (provider, _, body, fitted) => {
  expect(fit(provider, body)).toEqual({ model: 'm', ...fitted })
})

test("OpenAI's reasoning models get the name they take", () => {
  expect(fit('openai', { max_tokens: 9 }, { model: 'gpt-5' })).toEqual({
    model: 'gpt-5',
    max_completion_tokens: 9,
  })
})

describe('laws', () => {
  const provider = fc.constantFrom(...PROVIDER_IDS, 'office')
  const messages = fc.array(
    fc.oneof(
      fc.record(
        {
          role: fc.constantFrom('developer', 'system', 'user', 'assistant', 'tool'),
          content: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
          reasoning_content: fc.string(),
          refusal: fc.constant(null),
          tool_calls: fc.array(fc.oneof(fc.record({ id: fc.string() }), fc.jsonValue()), { maxLength: 3 }),
        },
        { requiredKeys: ['role'] },
      ),
      fc.jsonValue(),
    ),
    { maxLength: 4 },
  )
  const body = fc
    .record(
      {
        messages: fc.oneof(messages, fc.jsonValue()),
        max_tokens: fc.option(fc.nat()),
        max_completion_tokens: fc.option(fc.nat()),
        seed: fc.nat(),
        store: fc.boolean(),
        stream: fc.boolean(),
        stream_options: fc.oneof(fc.record({ include_usage: fc.boolean() }), fc.jsonValue()),
        temperature: fc.double({ noNaN: true }),
        tools: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map(value => value as JsonObject)
  const models = fc.constantFrom('m', 'gpt-5', 'gemini-3-pro')

  test('the body is never changed', () => {
    fc.assert(
      fc.property(provider, models, body, fc.boolean(), (id, model, given, stream) => {
        const before = structuredClone(given)
        fit(id, given, { stream, model })
        expect(given).toEqual(before)
      }),
    )
  })

  test('fitting twice is fitting once', () => {
    fc.assert(
      fc.property(provider, models, body, fc.boolean(), (id, model, given, stream) => {
        const once = fit(id, given, { stream, model })
        expect(fit(id, once, { stream, model })).toEqual(once)
      }),
    )
  })

  test('unknown fields survive, and what changes the answer does', () => {
    fc.assert(
      fc.property(provider, body, fc.string(), fc.jsonValue(), (id, given, suffix, value) => {
        const name = `x_${suffix}`
        const fitted = fit(id, { ...given, [name]: value } as JsonObject)
        expect(fitted[name]).toEqual(value ?? undefined)
        expect(fitted['temperature']).toEqual(given['temperature'])
        expect(fitted['tools']).toEqual(given['tools'] ?? undefined)
      }),
    )
  })

  test('as many messages leave as came', () => {
    fc.assert(
      fc.property(provider, messages, (id, given) => {
        expect(fit(id, { messages: given } as JsonObject)['messages']).toHaveLength(given.length)
      }),
    )
  })
})

test('a field that the endpoint has refused and that may be dropped is dropped, also what the gateway adds itself', () => {
  const endpoint = { ...endpointAt('office'), droppedParams: ['store', 'stream_options'] }
  const fitted = fitRequest({ store: true, seed: 1, messages: [] }, endpoint, { stream: true })
  expect(fitted).toEqual({ seed: 1, messages: [], stream: true, model: 'm' })
})
