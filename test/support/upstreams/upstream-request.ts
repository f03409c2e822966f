import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { parseJsonObject } from '../../../lambdas/core/json.ts'
import type { JsonObject } from '../../../lambdas/core/json.ts'

/** How an exchange ended: with the whole answer, cut by the script, or because the caller left. */
export type ExchangeEnd = 'answered' | 'cut' | 'aborted'

/** A request as the upstream received it. */
export type UpstreamRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Empty where the text is no JSON object. */
  readonly body: JsonObject
  readonly text: string
  /** It came on a connection that had served a request before. */
  readonly reusedSocket: boolean
  readonly ended: Promise<ExchangeEnd>
}

/** Reads a request to its end; one that its caller broke off holds no text. */
export async function receiveRequest(
  request: IncomingMessage,
  exchange: { reusedSocket: boolean; ended: Promise<ExchangeEnd> },
): Promise<UpstreamRequest> {
  const { method = '', url = '', headers } = request
  const received = await text(request).catch(() => '')
  return { method, path: url, headers, body: parseJsonObject(received) ?? {}, text: received, ...exchange }
}
