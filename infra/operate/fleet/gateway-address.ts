import { CommandError } from '../../terminal/command-error.ts'
import { readKeys } from '../../../lambdas/config/read-keys.ts'
import { readProxies } from '../../../lambdas/config/read-proxies.ts'
import type { ProxyFor } from '../../../lambdas/core/http-proxy.ts'
import { callsAbout, type CommandCall } from './command-call.ts'
import type { SignGatewayCall } from './sign-gateway-call.ts'

/** Where a command finds the gateway, and the client key it shows there. */
export type GatewayAddress = {
  url: string
  clientKey: string | null
  /** How commands are called about it. */
  call: CommandCall
  /** The stack that it belongs to; absent = a gateway on this machine, or somewhere else. */
  stack?: string
  /** Proves to the platform who calls, where the URL asks for that. */
  sign?: SignGatewayCall
  /** Null = no proxy is set. */
  proxyFor?: ProxyFor | null
}

const DEFAULT_URL = 'http://127.0.0.1:4141'

/** The gateway that the option or the environment names, else the one on loopback. */
export function gatewayAddress(
  environment: Readonly<Record<string, string | undefined>>,
  urlOption?: string,
): GatewayAddress {
  const url = urlOption ?? (environment.BACKSTOP_URL || DEFAULT_URL)
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CommandError(`'${url}' is not an http(s) URL.`)
  // As the gateway reads them: what it ignores is no key here either.
  const [firstClientKey = null] = readKeys('BACKSTOP_CLIENT_KEYS', environment).keys
  return {
    url: url.replace(/\/+$/, ''),
    clientKey: environment.BACKSTOP_CLIENT_KEY || firstClientKey,
    call: callsAbout({ url: urlOption }),
    proxyFor: readProxies(environment).proxyFor,
  }
}
