import { REQUEST_HEADERS } from '../../../lambdas/contract.ts'
import { type JsonObject, isJsonObject, parseJsonObject } from '../../../lambdas/core/json.ts'
import type { ProxyFor } from '../../../lambdas/core/http-proxy.ts'
import {
  callUpstream,
  closeAgents,
  createAgents,
} from '../../../lambdas/engine/request/upstream/call-upstream.ts'
import { ProxyError } from '../../../lambdas/engine/request/upstream/proxy-error.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { GatewayAddress } from './gateway-address.ts'

const SHOWN_BODY_LENGTH = 300
const CONNECT_MS = 10_000

/** `fetch` knows no proxy: what calls upstreams does. */
const throughProxy =
  (proxyFor: ProxyFor) =>
  async (url: string, { method, body, signal, headers }: RequestInit): Promise<Response> => {
    const agents = createAgents(systemClock, proxyFor)
    const answer = await callUpstream(
      {
        method: method === 'POST' ? 'POST' : 'GET',
        url,
        headers: Object.fromEntries(new Headers(headers)),
        body: Buffer.from(typeof body === 'string' ? body : ''),
        connectMs: CONNECT_MS,
        signal: signal ?? new AbortController().signal,
      },
      agents,
      systemClock,
    )
    answer.body.once('close', () => closeAgents(agents))
    return new Response(ReadableStream.from(answer.body), answer)
  }

/** One request to the gateway. Throws a CommandError where nobody listens, saying how to change that. */
export async function callGateway(
  address: GatewayAddress,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (address.clientKey) headers.set(REQUEST_HEADERS.apiKey, address.clientKey)
  const { method = 'GET', body } = init
  const call = { method, url: address.url + path, contentType: headers.get('content-type') }
  const signed = await address.sign?.({ ...call, body: typeof body === 'string' ? body : '' })
  for (const [name, value] of Object.entries(signed ?? {})) headers.set(name, value)
  try {
    const { proxyFor } = address
    const send = proxyFor?.(address.url) ? throughProxy(proxyFor) : fetch
    return await send(address.url + path, { ...init, headers })
  } catch (error) {
    if (init.signal?.aborted) throw error
    if (error instanceof ProxyError)
      throw new CommandError(`No answer of the gateway at ${address.url}. ${error.message}.`, {
        cause: error,
      })
    const cause = error instanceof Error ? error.cause : undefined
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause ?? error)
    const isLocal = reason === 'ECONNREFUSED' && address.stack === undefined
    const advice = isLocal ? 'Start it in another terminal: npm start' : `(${reason})`
    throw new CommandError(`No gateway at ${address.url}. ${advice}`, { cause: error })
  }
}

/** What an unsuccessful answer says, in words. */
export async function readError(response: Response): Promise<string> {
  const text = await response.text()
  const message = errorMessage(parseJsonObject(text))
  if (response.status === 401)
    return `${message ?? 'The gateway requires a client key.'} Set BACKSTOP_CLIENT_KEY, or use --key KEY.`
  return message ?? `The gateway answered ${response.status}: ${text.slice(0, SHOWN_BODY_LENGTH)}`
}

/** The message of OpenAI's error shape, where the object is one. */
export function errorMessage(body: JsonObject | undefined): string | null {
  const error = body?.error
  if (isJsonObject(error) && typeof error.message === 'string') return error.message
  return error === undefined || error === null ? null : JSON.stringify(error)
}
