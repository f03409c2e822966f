import { networkCodeOf } from '../../../core/failures/network-code-of.ts'
import type { HttpProxy } from '../../../core/http-proxy.ts'

/**
 * `BACKSTOP_PROXY`: the proxy itself is in the way, so that nothing was learned of the host behind it.
 * `BACKSTOP_PROXY_UNREACHED`: the proxy works, and says that it cannot reach that host.
 */
export type ProxyErrorCode = 'BACKSTOP_PROXY' | 'BACKSTOP_PROXY_UNREACHED'

/** Thrown when a call has not come past the proxy. Its message names the proxy, and never a password. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code: ProxyErrorCode

  constructor(code: ProxyErrorCode, { name }: HttpProxy, problem: string) {
    super(`The proxy ${name} ${problem}`)
    this.code = code
  }
}

const BROKEN = /^(?:ECONNRESET|EPIPE|ECONNABORTED)$/

/** The proxy cannot be spoken to. */
export function proxyBroke(proxy: HttpProxy, error: unknown): ProxyError {
  const code = networkCodeOf(error) ?? 'unknown'
  const problem = code.startsWith('HPE_')
    ? `does not answer as an HTTP proxy (${code})`
    : BROKEN.test(code)
      ? `broke the connection (${code})`
      : `cannot be reached (${code})`
  return new ProxyError('BACKSTOP_PROXY', proxy, problem)
}

/** The proxy took longer to connect than a call may wait. */
export const proxyStalled = (proxy: HttpProxy): ProxyError =>
  new ProxyError('BACKSTOP_PROXY', proxy, 'did not connect in time')

/** The proxy answered for itself. https://www.rfc-editor.org/rfc/rfc9110#section-15.6.3 */
export function proxyRefused(proxy: HttpProxy, status: number): ProxyError {
  if (status === 407)
    return new ProxyError(
      'BACKSTOP_PROXY',
      proxy,
      'requires a user and a password (407): write them into its address, before the host and an @',
    )
  if (status === 502 || status === 503 || status === 504)
    return new ProxyError('BACKSTOP_PROXY_UNREACHED', proxy, `cannot reach the host (${status})`)
  return new ProxyError('BACKSTOP_PROXY', proxy, `refuses to connect to the host (${status})`)
}

/** What a call ended with, as `classify` reads it; null = nothing tells. */
export const transportErrorOf = (error: unknown): string | null =>
  error instanceof ProxyError ? `${error.code} ${error.message}` : networkCodeOf(error)
