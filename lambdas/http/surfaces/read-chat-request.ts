import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Caller } from '../../core/caller.ts'
import { needsOf } from '../../core/capabilities.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { JsonObject } from '../../core/json.ts'
import { GatewayError } from '../../core/routing/gateway-error.ts'
import { estimatePromptTokens } from '../../core/tokens/estimate-tokens.ts'
import { describeSlip } from '../describe-slip.ts'
import { requestIdOf, requestOptionsOf } from '../request-headers.ts'
import { toolRoundOf } from '../tool-round.ts'
import { chatSchema, type ChatBody } from './chat-schema.ts'

/** `messages[0].role`, as OpenAI names a parameter. */
const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (joined, part) =>
      typeof part === 'number'
        ? `${joined}[${part}]`
        : joined === ''
          ? String(part)
          : `${joined}.${String(part)}`,
    '',
  )

function validate(body: JsonObject): ChatBody {
  const parsed = chatSchema.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = pathOf(issue?.path ?? [])
  const isMissing = issue?.path.length === 1 && body[param] === undefined
  const complaint = issue ? describeSlip(issue, param, isMissing) : 'The body is not valid'
  throw new GatewayError(
    'invalid_request',
    `${complaint}. See the OpenAI chat API for what is expected.`,
    param,
  )
}

/** A request as it came: the client's own body, and the same in chat completions JSON. */
export type ClientRequest = {
  event: LambdaFunctionURLEvent
  caller: Caller
  native: JsonObject
  body: JsonObject
}

/**
 * Reads what the gateway must know of a request from its headers and its chat completions body, whichever API the
 * client speaks. Throws `GatewayError` that names the field or header at fault.
 */
export function readChatRequest({ event, caller, native, body }: ClientRequest): ChatRequest {
  const options = requestOptionsOf(event)
  const chat = validate(body)
  return {
    id: requestIdOf(event),
    caller,
    alias: chat.model,
    body,
    native,
    stream: chat.stream ?? false,
    includeUsage: chat.stream_options?.include_usage ?? false,
    ...options,
    needs: needsOf(body),
    promptTokens: estimatePromptTokens(body),
    toolRound: toolRoundOf(event, caller, native, chat),
  }
}
