import * as z from 'zod/mini'

const optional = <Schema extends z.core.$ZodType>(schema: Schema) => z.optional(z.nullable(schema))
const anything = z.looseObject({})

const message = z.looseObject({
  role: z.string(),
  content: optional(z.union([z.string(), z.array(anything)])),
  tool_calls: optional(z.array(anything)),
  tool_call_id: optional(z.string()),
})

/**
 * What is checked of a chat request: enough that a client's slip is told to the client, not to four upstreams in
 * turn. Everything else passes through as it came. https://platform.openai.com/docs/api-reference/chat/create
 */
export const chatSchema = z.looseObject({
  model: z.string().check(z.minLength(1)),
  messages: z.array(message).check(z.minLength(1)),
  stream: optional(z.boolean()),
  stream_options: optional(z.looseObject({ include_usage: optional(z.boolean()) })),
  tools: optional(z.array(anything)),
  functions: optional(z.array(anything)),
  response_format: optional(z.looseObject({ type: z.string() })),
  temperature: optional(z.number()),
  top_p: optional(z.number()),
  n: optional(z.int().check(z.positive())),
  max_tokens: optional(z.int().check(z.positive())),
  max_completion_tokens: optional(z.int().check(z.positive())),
  stop: optional(z.union([z.string(), z.array(z.string())])),
})

export type ChatBody = z.infer<typeof chatSchema>
