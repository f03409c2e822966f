import { describe, expect, it, test } from 'vitest'
import { carriesParam } from '../../lambdas/core/refusals/carries-param.ts'
import {
  describeRefusal,
  DROPPABLE_PARAMS,
  learnFrom,
  type Refusal,
} from '../../lambdas/core/refusals/refusals.ts'
import type { ChatRequest } from '../../lambdas/core/chat-request.ts'
import { classify } from '../../lambdas/providers/classify.ts'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { requestFor } from './build.ts'

const NOW = 1_000_000

const failureSaying = (status: number, error: JsonObject | string) =>
  classify({
    provider: 'mine',
    status,
    headers: {},
    body: JSON.stringify(typeof error === 'string' ? { error: { message: error } } : error),
    networkError: null,
    inStream: false,
    now: NOW,
  })

const tooled = requestFor({ needs: { tools: true, vision: false, json: false } })
const ownTools = requestFor({ needs: tooled.needs, body: { tools: [{ type: 'web_search' }] } })
const seeing = requestFor({ needs: { tools: false, vision: true, json: false } })
const jsonMode = requestFor({
  needs: { tools: false, vision: false, json: true },
  body: { response_format: { type: 'json_object' } },
})
const schema = requestFor({
  needs: { tools: false, vision: false, json: true },
  body: { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } } },
})
const carrying = (...names: string[]): ChatRequest =>
  requestFor({ body: Object.fromEntries(names.map(name => [name, 1])) })

const learn = (status: number, words: JsonObject | string, request: ChatRequest): Refusal | null =>
  learnFrom(failureSaying(status, words), request)

const wrapped = (message: string, code: string, param: string): JsonObject => ({
  error: { message, type: 'invalid_request_error', code, param },
})

describe('a refusal that another Backstop quotes', () => {
  const quoted = {
    error: { message: "No endpoint of 'x' answered. a/one: does not support tools; b/two: boom" },
  }
  const observation = {
    provider: 'mine',
    status: 502,
    body: JSON.stringify(quoted),
    networkError: null,
    inStream: false,
    now: NOW,
  }

  it('is one endpoint’s of its chain, and teaches nothing about the others', () => {
    const own = classify({ ...observation, headers: {} })
    const relayed = classify({ ...observation, headers: { 'x-backstop-attempts': '2' } })
    expect(learnFrom(own, tooled)).toEqual({ what: 'tools' })
    expect(relayed).toMatchObject({ kind: 'server_error', class: 'retryable' })
    expect(learnFrom(relayed, tooled)).toBeNull()
    const incapable = classify({
      ...observation,
      status: 400,
      headers: { 'x-backstop-attempts': '1' },
    })
    expect(incapable.kind).toBe('unsupported_tools')
    expect(learnFrom(incapable, tooled)).toBeNull()
    const tooLong = { ...relayed, kind: 'context_length', statedWindow: 1_000 } as const
    expect(learnFrom(tooLong, tooled)).toBeNull()
  })
})

describe('a refusal of a part, or of some company, is none of the whole', () => {
  test.each<[string, ChatRequest]>([
    ["Unknown parameter: 'tools[0].strict'.", { ...tooled, body: { tools: [{ type: 'function' }] } }],
    [
      "Unknown parameter: 'tools[0].function.strict'.",
      { ...tooled, body: { tools: [{ type: 'function' }] } },
    ],
    ['Parallel tool calls are not supported', tooled],
    ['Tool use is not supported with JSON mode', tooled],
    ['This model does not support tools with more than 128 functions', tooled],
    ['logprobs is not supported with tools', carrying('logprobs')],
    ["response_format json_schema: 'oneOf' is not permitted", schema],
  ])('%s', (words, request) => {
    expect(learn(400, words, request)).toBeNull()
    expect(learn(400, wrapped(words, 'unknown_parameter', 'tools[0].strict'), request)).toBeNull()
  })

  it('and of parallel calls is one of the field that asks for them, which may be dropped', () => {
    const refusal = failureSaying(400, 'Parallel tool calls are not supported')
    const request = { ...tooled, body: { parallel_tool_calls: true } }
    const learnt = learnFrom(refusal, request)
    expect(learnt).toEqual({ what: 'droppable', name: 'parallel_tool_calls' })
  })
})

describe('a capability is learnt', () => {
  test.each<[string, number, string, ChatRequest, Refusal]>([
    ['tools', 400, 'registry.ollama.ai/library/gemma:2b does not support tools', tooled, { what: 'tools' }],
    ['tools at a router', 404, 'No endpoints found that support tool use.', tooled, { what: 'tools' }],
    ['tools behind a flag', 500, 'tools param requires --jinja flag', tooled, { what: 'tools' }],
    ['images', 404, 'No endpoints found that support image input', seeing, { what: 'vision' }],
    [
      'images without a projector',
      500,
      'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      seeing,
      { what: 'vision' },
    ],
    ['JSON mode', 400, 'JSON mode is not supported for this model.', jsonMode, { what: 'json' }],
    ['response_format', 400, "'response_format' is not supported.", jsonMode, { what: 'json' }],
    [
      'schemas alone',
      400,
      'This model does not support response format `json_schema`.',
      schema,
      { what: 'param', name: 'json_schema' },
    ],
    ['streams', 400, 'This model does not support streaming.', requestFor(), { what: 'stream' }],
    [
      'streams by their name',
      400,
      'Streaming is not supported for this model.',
      requestFor(),
      { what: 'stream' },
    ],
    [
      'streams for the unverified',
      400,
      'Your organization must be verified to stream this model.',
      requestFor(),
      { what: 'stream' },
    ],
  ])('%s', (_, status, words, request, refusal) => {
    const body = words.startsWith('Your organization') ? wrapped(words, 'unsupported_value', 'stream') : words
    expect(learn(status, body, request)).toEqual(refusal)
  })
})

describe('nothing is learnt', () => {
  test.each<[string, number, JsonObject | string, ChatRequest]>([
    ['of tools that nobody asked for', 400, 'x does not support tools', requestFor()],
    [
      'of tools that only one host has',
      400,
      'This model does not support tools of type web_search',
      ownTools,
    ],
    ['of tools beside something else', 400, 'Tools are not supported when response_format is set.', tooled],
    ['of images from a refused recording', 400, 'This model does not support audio input.', seeing],
    ['of images from a broken one', 400, 'Cannot process image: invalid base64 data.', seeing],
    ['of JSON mode from a prompt without the word', 400, "'messages' must contain the word 'json'", jsonMode],
    ['of streams from a host that only streams', 400, 'This model only support stream mode.', requestFor()],
    ['of streams from their options', 400, 'does not support stream=false', requestFor()],
    [
      'of a field whose value was wrong',
      400,
      wrapped("'temperature' does not support 0.3 with this model.", 'unsupported_value', 'temperature'),
      carrying('temperature'),
    ],
    ['of a field that is too large', 400, 'max_tokens is too large: 100000.', carrying('max_tokens')],
    ['of a field in a bad range', 400, "'top_p' must be between 0 and 1", carrying('top_p')],
    ['of a field that was not sent', 400, "property 'seed' is unsupported", carrying('store')],
    [
      'of a field inside a message',
      400,
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
      carrying('messages'),
    ],
    [
      'of a field deep inside',
      400,
      'Invalid JSON payload received. Unknown name "user" at \'tools[0].function\': Cannot find field.',
      carrying('user'),
    ],
    ['of the model', 400, "'model' is not supported", carrying('model')],
    ['of a cap of a minute', 413, 'Request too large on tokens per minute (TPM): Limit 6000', requestFor()],
    [
      'of a cap of a minute that speaks of length',
      429,
      'maximum context length is 6000 tokens per minute',
      requestFor(),
    ],
    ['of a window without a number', 400, 'Please reduce the length of the messages.', requestFor()],
    ['of a window that cannot be', 400, 'maximum context length is 12 tokens', requestFor()],
    ['of an outage', 503, 'The server is overloaded: tools do not work', tooled],
  ])('%s', (_, status, words, request) => {
    expect(learn(status, words, request)).toBeNull()
  })
})

describe('a refused field is known by name', () => {
  test.each<[string, JsonObject | string, string]>([
    ['Groq', "property 'store' is unsupported, did you mean 'stop'?", 'store'],
    ['Cerebras', { message: "property 'body.store' is unsupported", code: 'wrong_api_format' }, 'store'],
    ['Gemini', 'Invalid JSON payload received. Unknown name "store": Cannot find field.', 'store'],
    [
      'Mistral',
      {
        detail: [{ type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra inputs are not permitted' }],
      },
      'store',
    ],
    ['OpenAI', wrapped("Unknown parameter: 'store'.", 'unknown_parameter', 'store'), 'store'],
    ['OpenAI in other words', 'Unrecognized request argument supplied: logit_bias', 'logit_bias'],
    ['Bedrock', 'Malformed input request: extraneous key [top_k] is not permitted', 'top_k'],
    ['LiteLLM', "groq does not support parameters: ['logit_bias'], for model=llama3.", 'logit_bias'],
    ['xAI', 'Argument not supported on this model: presencePenalty', 'presence_penalty'],
    ['a strict schema', "Additional properties are not allowed ('user' was unexpected)", 'user'],
    ['plain words', '`logprobs` is not supported with this model', 'logprobs'],
    ['plainer words', 'This model does not support seed', 'seed'],
  ])('as %s writes it', (_, body, name) => {
    const what = DROPPABLE_PARAMS.has(name) ? 'droppable' : 'param'
    expect(learn(400, body, carrying(name))).toEqual({ what, name })
  })

  it('also where it is one that the gateway added', () => {
    expect(learn(400, "Unknown parameter: 'stream_options'", requestFor())).toEqual({
      what: 'droppable',
      name: 'stream_options',
    })
  })
})

test.each<[string, string, number]>([
  ['OpenAI', "This model's maximum context length is 128000 tokens. However, you requested 130000.", 128_000],
  ['DashScope', 'Range of input length should be [1, 98304]', 98_304],
  ['Anthropic', 'prompt is too long: 208310 tokens > 200000 maximum', 200_000],
  ['Gemini', 'The input token count (12) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
  ['llama.cpp', 'request (13392 tokens) exceeds the available context size (8192 tokens)', 8_192],
  ['LM Studio', 'is greater than the context length (n_keep: 25701>= n_ctx: 4096).', 4_096],
  [
    'Mistral',
    'Prompt contains 140000 tokens, too large for model with 131072 maximum context length',
    131_072,
  ],
  ['Cloudflare', 'tokens (8300) exceeded this model context window limit (8192).', 8_192],
  [
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 9210 while limit is 8192',
    8_192,
  ],
])('a window is learnt as %s states it', (_, words, window) => {
  expect(learn(400, words, requestFor())).toEqual({ what: 'context', window })
})

test('a request carries a field that it sets, and a schema only where it asks for one', () => {
  expect(carriesParam({ seed: 0 }, 'seed')).toBe(true)
  expect(carriesParam({ seed: null }, 'seed')).toBe(false)
  expect(carriesParam({}, 'constructor')).toBe(false)
  expect(carriesParam(schema.body, 'json_schema')).toBe(true)
  expect(carriesParam(jsonMode.body, 'json_schema')).toBe(false)
})

test.each<[Refusal, string]>([
  [{ what: 'tools' }, 'no tools'],
  [{ what: 'context', window: 8_192 }, '8,192 tokens at most'],
  [{ what: 'param', name: 'seed' }, 'no seed'],
  [{ what: 'droppable', name: 'store' }, 'called without store'],
])('people read %j as "%s"', (refusal, words) => {
  expect(describeRefusal(refusal)).toBe(words)
})
