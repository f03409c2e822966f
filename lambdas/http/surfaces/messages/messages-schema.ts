import * as z from 'zod/mini'

const optional = <Schema extends z.core.$ZodType>(schema: Schema) => z.optional(z.nullable(schema))
const anything = z.looseObject({})

const message = z.looseObject({
  role: z.string(),
  content: optional(z.union([z.string(), z.array(anything)])),
})

/** What counting the tokens of a request takes. https://docs.anthropic.com/en/api/messages-count-tokens */
export const countTokensSchema = z.looseObject({
  model: z.string().check(z.minLength(1)),
  messages: z.array(message).check(z.minLength(1)),
  system: optional(z.union([z.string(), z.array(anything)])),
  tools: optional(z.array(anything)),
})

/**
 * What is checked of a Messages request before it is translated, so that a slip is told to the client. Everything else,
 * known or not, passes. https://docs.anthropic.com/en/api/messages
 */
export const messagesSchema = z.extend(countTokensSchema, {
  max_tokens: z.int().check(z.positive()),
  stream: optional(z.boolean()),
  tool_choice: optional(z.looseObject({ type: z.string() })),
  stop_sequences: optional(z.array(z.string())),
  temperature: optional(z.number()),
  top_p: optional(z.number()),
  thinking: optional(z.looseObject({ type: z.string() })),
  output_config: optional(anything),
  metadata: optional(anything),
})
