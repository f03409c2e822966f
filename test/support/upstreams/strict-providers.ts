import type { Json, JsonObject } from '../../../lambdas/core/json.ts'
import { isJsonObject } from '../../../lambdas/core/json.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'

/** A provider as strict as it really is about the history that it is sent. */
export type StrictProvider = {
  readonly model: string
  /** Its own refusal of a body; null = it takes it. */
  refuse(body: JsonObject): UpstreamAnswer | null
  /** The turn in which it calls a tool, as it hands one out. */
  readonly turn: JsonObject
}

type Complaint = (message: string) => UpstreamAnswer

const messagesOf = ({ messages }: JsonObject): readonly JsonObject[] =>
  Array.isArray(messages) ? messages.filter(isJsonObject) : []
const callsOf = ({ tool_calls: calls }: JsonObject): readonly JsonObject[] =>
  Array.isArray(calls) ? calls.filter(isJsonObject) : []
const call = (id: string, extra: JsonObject = {}): JsonObject => ({
  index: 0,
  id,
  type: 'function',
  function: { name: 'look', arguments: '{"at":"Rome"}' },
  ...extra,
})

const json = (status: number, body: Json): UpstreamAnswer => ({ status, body })
const openAiStyle: Complaint = message =>
  json(400, { error: { message, type: 'invalid_request_error', param: null, code: null } })
const flat: Complaint = message =>
  json(400, { message, type: 'invalid_request_error', param: 'validation_error', code: 'wrong_api_format' })
const inArray: Complaint = message =>
  json(400, [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }])
const extraField = (...loc: (string | number)[]): UpstreamAnswer =>
  json(422, {
    detail: [{ type: 'extra_forbidden', loc: ['body', ...loc], msg: 'Extra inputs are not permitted' }],
  })

/** The first field of a message that is not in the list. */
function strangeField(body: JsonObject, known: readonly string[]): { place: number; name: string } | null {
  for (const [place, message] of messagesOf(body).entries()) {
    const name = Object.keys(message).find(field => !known.includes(field))
    if (name !== undefined) return { place, name }
  }
  return null
}

const BASIC = ['role', 'content', 'name', 'tool_calls', 'tool_call_id']
const rolesOf = (body: JsonObject): readonly Json[] => messagesOf(body).map(({ role }) => role ?? null)
const strangeCallField = (body: JsonObject): string | undefined =>
  messagesOf(body)
    .flatMap(callsOf)
    .flatMap(Object.keys)
    .find(name => !['id', 'type', 'function', 'index'].includes(name))

/** By the id of the catalogue. What they say is what they say. */
export const STRICT_PROVIDERS: Readonly<Record<string, StrictProvider>> = {
  openai: {
    model: 'gpt-4o',
    refuse(body) {
      const strange = strangeField(body, [...BASIC, 'refusal', 'annotations', 'audio', 'function_call'])
      if (strange) return openAiStyle(`Unknown parameter: 'messages[${strange.place}].${strange.name}'.`)
      const name = strangeCallField(body)
      return name === undefined
        ? null
        : openAiStyle(`Unknown parameter: 'messages[1].tool_calls[0].${name}'.`)
    },
    turn: {
      content: null,
      refusal: null,
      annotations: [],
      tool_calls: [call('call_Xq3v9uJd2LkP0aZs7TyB1cDe')],
    },
  },
  groq: {
    model: 'llama-3.3-70b-versatile',
    refuse(body) {
      if ('store' in body) return openAiStyle("property 'store' is unsupported, did you mean 'stop'?")
      const strange = strangeField(body, BASIC)
      if (strange) {
        const place = `'messages.${strange.place}'`
        return openAiStyle(
          `${place} : for 'role:assistant' the following must be satisfied[(${place} : property '${strange.name}' is unsupported)]`,
        )
      }
      const parts = messagesOf(body).findIndex(({ content }) => Array.isArray(content))
      return parts < 0 ? null : openAiStyle(`messages[${parts}].content must be a string`)
    },
    turn: { content: '', reasoning: 'Groq thinks.', tool_calls: [call('fc_8a1b2c3d')] },
  },
  cerebras: {
    model: 'gpt-oss-120b',
    refuse(body) {
      if ('store' in body) return flat("property 'body.store' is unsupported")
      const strange = strangeField(body, [...BASIC, 'reasoning'])
      if (!strange) return null
      const path = `messages.${strange.place}.assistant.${strange.name}`
      return flat(`${path}: property '${path}' is unsupported`)
    },
    turn: { content: null, reasoning: 'Cerebras thinks.', tool_calls: [call('4f7c9e21b')] },
  },
  mistral: {
    model: 'mistral-large-latest',
    refuse(body) {
      for (const name of ['store', 'user', 'stream_options']) if (name in body) return extraField(name)
      const strange = strangeField(body, [...BASIC, 'prefix'])
      if (strange) return extraField('messages', strange.place, 'assistant', strange.name)
      const name = strangeCallField(body)
      if (name !== undefined) return extraField('messages', 1, 'assistant', 'tool_calls', 0, name)
      const ids = messagesOf(body).flatMap(message => [
        ...callsOf(message).map(({ id }) => String(id)),
        ...(typeof message.tool_call_id === 'string' ? [message.tool_call_id] : []),
      ])
      const odd = ids.find(id => !/^[a-z0-9]{9}$/i.test(id))
      const both = messagesOf(body).some(message => callsOf(message).length > 0 && Boolean(message.content))
      if (both) {
        const message = 'Assistant message must have either content or tool_calls, but not both.'
        return json(400, { object: 'error', message, type: 'invalid_request_error', param: null, code: null })
      }
      if (odd === undefined) return null
      const message = `Tool call id was ${odd} but must be a-z, A-Z, 0-9, with a length of 9.`
      return json(400, { object: 'error', message, type: 'invalid_function_call', param: null, code: '3280' })
    },
    turn: { content: '', tool_calls: [call('D681PevKs')] },
  },
  deepseek: {
    model: 'deepseek-reasoner',
    refuse(body) {
      if (rolesOf(body).includes('developer')) {
        return openAiStyle(
          'Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`',
        )
      }
      const rounds = messagesOf(body).filter(message => callsOf(message).length > 0)
      if (
        rounds.some(({ reasoning_content: reasoning }) => typeof reasoning !== 'string' || reasoning === '')
      ) {
        return openAiStyle('The `reasoning_content` in the thinking mode must be passed back to the API.')
      }
      const isBlank = rounds.some(({ content }) => content === '')
      return isBlank ? openAiStyle('Invalid assistant message: content or tool_calls must be set') : null
    },
    turn: { content: '', reasoning_content: 'DeepSeek thinks.', tool_calls: [call('call_00_aB3dE6gH9jK2')] },
  },
  gemini: {
    model: 'gemini-3-pro-preview',
    refuse(body) {
      const strange = strangeField(body, [...BASIC, 'extra_content'])
      if (strange) {
        return inArray(
          `Invalid JSON payload received. Unknown name "${strange.name}" at 'messages[${strange.place}]': Cannot find field.`,
        )
      }
      if ('store' in body)
        return inArray('Invalid JSON payload received. Unknown name "store": Cannot find field.')
      const unsigned = messagesOf(body)
        .flatMap(message => callsOf(message).slice(0, 1))
        .some(({ extra_content: extra }) => !JSON.stringify(extra ?? null).includes('thought_signature'))
      return unsigned
        ? inArray(
            'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.',
          )
        : null
    },
    turn: {
      tool_calls: [
        call('function-call-16520012837449', {
          extra_content: { google: { thought_signature: 'CiQBjz1rX0' } },
        }),
      ],
    },
  },
  cloudflare: {
    model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
    refuse(body) {
      const odd = messagesOf(body).find(({ content }) => typeof content !== 'string')
      if (!odd) return null
      const type = Array.isArray(odd.content) ? 'array' : 'null'
      const message = `AiError: Bad input: Error: oneOf at '/' not met: Type mismatch of '/messages/0/content', '${type}' not in 'string'`
      return json(400, { errors: [{ message, code: 5006 }], success: false, result: {}, messages: [] })
    },
    turn: { content: '', tool_calls: [call('chatcmpl-tool-6f0b')] },
  },
  dashscope: {
    model: 'qwen-plus',
    refuse: body =>
      rolesOf(body).includes('developer')
        ? openAiStyle(
            "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.[0].role'",
          )
        : null,
    turn: { content: '', reasoning_content: 'Qwen thinks.', tool_calls: [call('call_a0b1c2d3e4f5')] },
  },
  moonshot: {
    model: 'kimi-k2-thinking',
    refuse(body) {
      const place = messagesOf(body).findIndex(
        message => callsOf(message).length > 0 && !message.reasoning_content,
      )
      return place < 0
        ? null
        : openAiStyle(
            `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${place}`,
          )
    },
    turn: { content: '', reasoning_content: 'Kimi thinks.', tool_calls: [call('look:0')] },
  },
  openrouter: {
    model: 'z-ai/glm-4.6',
    refuse: () => null,
    turn: {
      content: 'Let me look.',
      reasoning: 'Somebody thinks.',
      reasoning_details: [{ type: 'reasoning.text', text: 'Somebody thinks.' }],
      tool_calls: [call('functions.look:0')],
    },
  },
}
