import * as fc from 'fast-check'
import type { JsonObject } from '../../lambdas/core/json.ts'

const text = fc.string({ minLength: 1, maxLength: 12 })
const token = fc.record({ token: text, logprob: fc.constant(-0.5), top_logprobs: fc.constant([]) })
const logprobs = fc.option(
  fc.record({ content: fc.array(token, { minLength: 1, maxLength: 3 }), refusal: fc.constant(null) }),
)

const contentPart = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({
    type: fc.constant('thinking'),
    thinking: fc.tuple(fc.record({ type: fc.constant('text'), text })),
  }),
)
const content = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.array(contentPart, { minLength: 1, maxLength: 4 }),
)

const toolCall = fc.record(
  {
    id: text,
    type: fc.constant('function'),
    function: fc.record({ name: text, arguments: fc.json() }),
    extra_content: fc.record({ google: fc.record({ thought_signature: text }) }),
  },
  { requiredKeys: ['id', 'type', 'function'] },
)

const message = fc.record(
  {
    role: fc.constant('assistant'),
    content,
    refusal: fc.option(text),
    reasoning_content: fc.option(fc.string()),
    reasoning: text,
    tool_calls: fc.uniqueArray(toolCall, { minLength: 1, maxLength: 3, selector: call => call.id }),
    annotations: fc.array(fc.record({ type: fc.constant('url_citation') })),
  },
  { requiredKeys: ['role', 'content'] },
)

const choice = fc.record(
  {
    message,
    logprobs,
    finish_reason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'eos'),
    native_finish_reason: fc.option(text),
  },
  { requiredKeys: ['message', 'finish_reason'] },
)

function withIndexes(completion: { choices: readonly JsonObject[] }): JsonObject {
  const choices = completion.choices.map((part, index) => Object.assign({ index }, part))
  return { ...completion, choices }
}

/** Any well-formed `chat.completion`. */
export const arbitraryCompletion: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      id: text,
      object: fc.constant('chat.completion'),
      created: fc.nat(),
      model: text,
      choices: fc.array(choice, { minLength: 1, maxLength: 3 }),
      usage: fc.record({ prompt_tokens: fc.nat(), completion_tokens: fc.nat(), total_tokens: fc.nat() }),
      system_fingerprint: fc.option(text),
      provider: text,
    },
    { requiredKeys: ['id', 'object', 'created', 'model', 'choices'], noNullPrototype: true },
  )
  .map(withIndexes)
