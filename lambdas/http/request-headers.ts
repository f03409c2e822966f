import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../contract.ts'
import { GatewayError } from '../core/routing/gateway-error.ts'

/** A header of the event, trimmed; undefined where it is missing or blank. Function URLs send lower-case names. */
export function headerOf(event: LambdaFunctionURLEvent, name: string): string | undefined {
  return event.headers[name]?.trim() || undefined
}

const PLAIN_ID = /^[\w.:@/+=-]{1,128}$/

/** The client's id where it is plain enough for a header and a log line, else the platform's. */
export function requestIdOf(event: LambdaFunctionURLEvent): string {
  const given = headerOf(event, REQUEST_HEADERS.requestId)
  return given && PLAIN_ID.test(given) ? given : event.requestContext.requestId
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

/** What clients may ask of the gateway itself. Throws `GatewayError` that names the header at fault. */
export const requestOptionsOf = (event: LambdaFunctionURLEvent) => ({
  buffer: switchOf(event, REQUEST_HEADERS.buffer, '1', '0') ?? false,
  dryRun: switchOf(event, REQUEST_HEADERS.dryRun, '1', '0') ?? false,
  fallback: switchOf(event, REQUEST_HEADERS.fallback, 'on', 'off') ?? true,
  retryTokenBudget: tokensOf(event, REQUEST_HEADERS.retryTokenBudget),
})
