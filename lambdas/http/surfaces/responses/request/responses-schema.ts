import * as z from 'zod/mini'

const optional = <Schema extends z.core.$ZodType>(schema: Schema) => z.optional(z.nullable(schema))
const anything = z.looseObject({})

/**
 * What is checked of a Responses request before it is translated, so that a slip is told to the client. Everything else
 * passes through as it came. https://platform.openai.com/docs/api-reference/responses/create
 */
export const responsesSchema = z.looseObject({
  model: z.string().check(z.minLength(1)),
  input: optional(z.union([z.string(), z.array(anything).check(z.minLength(1))])),
  instructions: optional(z.string()),
  stream: optional(z.boolean()),
  tools: optional(z.array(anything)),
  tool_choice: optional(z.union([z.string(), anything])),
  text: optional(anything),
  reasoning: optional(anything),
  include: optional(z.array(z.string())),
  max_output_tokens: optional(z.int().check(z.positive())),
  temperature: optional(z.number()),
  top_p: optional(z.number()),
})
