import * as z from 'zod/mini'
import { needsOf } from '../../core/capabilities.ts'
import type { Json } from '../../core/json.ts'
import { estimateTextTokens } from '../../core/tokens/estimate-text-tokens.ts'
import { decodeBody } from '../decode-body.ts'
import { openAiErrorReply } from '../replies/openai-error.ts'
import { jsonReply, jsonTextReply } from '../replies/reply.ts'
import { headerOf, requestIdOf, requestOptionsOf } from '../request-headers.ts'
import { toolRoundOf } from '../tool-round.ts'
import type { Surface } from './surface.ts'
import { validateBody } from './validate-body.ts'

const text = z.string().check(z.minLength(1))
const tokens = z.array(z.int()).check(z.minLength(1))

/** https://platform.openai.com/docs/api-reference/embeddings/create */
const embeddingsSchema = z.looseObject({
  model: text,
  input: z.union([text, tokens, z.array(text).check(z.minLength(1)), z.array(tokens).check(z.minLength(1))]),
  dimensions: z.optional(z.nullable(z.int().check(z.positive()))),
  encoding_format: z.optional(z.nullable(z.enum(['float', 'base64']))),
})

/** Tokens of the longest input: each is embedded by itself, so that only it must fit into a window. */
function longestInput(input: Json | undefined): number {
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  const sizes = inputs.map(one =>
    typeof one === 'string' ? estimateTextTokens(one) : Array.isArray(one) ? one.length : 0,
  )
  return Math.ceil(sizes.reduce((most, size) => Math.max(most, size), 0))
}

/** OpenAI's API of embeddings: every endpoint of an alias serves the same vectors. */
export const embeddings: Surface = {
  path: '/v1/embeddings',
  kind: 'embeddings',
  async parse(event, caller) {
    const body = await decodeBody(event)
    const { model } = validateBody(embeddingsSchema, body, 'OpenAI embeddings API')
    return {
      id: requestIdOf(event),
      caller,
      alias: model,
      kind: 'embeddings',
      body,
      native: body,
      nativeCall: null,
      dropped: [],
      userAgent: headerOf(event, 'user-agent') ?? '',
      receivedAt: event.requestContext.timeEpoch,
      stream: false,
      includeUsage: false,
      ...requestOptionsOf(event),
      needs: needsOf({}),
      promptTokens: longestInput(body.input),
      toolRound: toolRoundOf(event, caller, {}, { messages: [] }),
      conversation: null,
    }
  },
  whole: ({ text, completion }) => (text === null ? jsonReply(200, completion) : jsonTextReply(text)),
  open() {
    throw new Error('Embeddings are never streamed.')
  },
  error: openAiErrorReply,
}
