import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../contract.ts'
import { needsOf } from '../core/capabilities.ts'
import type { ChatRequest } from '../core/chat-request.ts'
import { estimatePromptTokens } from '../core/tokens/estimate-tokens.ts'
import type { JsonObject } from '../core/json.ts'
import { chatSchema, type ChatBody } from './chat-schema.ts'
import { decodeBody } from './decode-body.ts'
import { describeSlip } from './describe-slip.ts'
import { GatewayError } from './gateway-error.ts'
import { headerOf } from './request-headers.ts'
import { toolRoundOf } from './tool-round-of.ts'

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

function switchOf(event: LambdaFunctionURLEvent, name: string, on: string, off: string): boolean | null {
  const value = headerOf(event, name)?.toLowerCase()
  if (value === undefined) return null
  if (value === on || value === 'true') return true
  if (value === off || value === 'false') return false
  throw new GatewayError(
    'invalid_header',
    `Header ${name} takes '${on}' or '${off}', not '${value.slice(0, 40)}'.`,
    name,
  )
}

function tokensOf(event: LambdaFunctionURLEvent, name: string): number | null {
  const value = headerOf(event, name)
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new GatewayError(
    'invalid_header',
    `Header ${name} takes a whole number of tokens, 0 for no retries at all, not '${value.slice(0, 40)}'.`,
    name,
  )
}

/** Reads a chat request from its event. Throws `GatewayError` that names the field or header at fault. */
export function parseChatRequest(event: LambdaFunctionURLEvent, id: string): ChatRequest {
  const buffer = switchOf(event, REQUEST_HEADERS.buffer, '1', '0') ?? false
  const dryRun = switchOf(event, REQUEST_HEADERS.dryRun, '1', '0') ?? false
  const fallback = switchOf(event, REQUEST_HEADERS.fallback, 'on', 'off') ?? true
  const retryTokenBudget = tokensOf(event, REQUEST_HEADERS.retryTokenBudget)
  const body = decodeBody(event)
  const chat = validate(body)
  return {
    id,
    alias: chat.model,
    body,
    stream: chat.stream ?? false,
    includeUsage: chat.stream_options?.include_usage ?? false,
    buffer,
    fallback,
    dryRun,
    needs: needsOf(body),
    promptTokens: estimatePromptTokens(body),
    retryTokenBudget,
    toolRound: toolRoundOf(event, chat),
  }
}
