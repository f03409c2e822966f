import { CommandError } from '../../terminal/command-error.ts'
import type { FleetChoice } from './fleet-options.ts'
import { readProxies } from '../../../lambdas/config/read-proxies.ts'
import type { FoundStack } from './find-stack.ts'
import type { GatewayAddress } from './gateway-address.ts'
import { createGatewaySigner } from './sign-gateway-call.ts'
import { readStackSecret } from '../keys/stack-secret.ts'

/** Where the gateway of a stack is, and how it is asked: with a client key, or signed where its URL wants that. */
export async function stackAddress(
  stack: FoundStack,
  { key }: FleetChoice,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<GatewayAddress> {
  const { name, session, output, call } = stack
  const url = output('url').replace(/\/+$/, '')
  const { proxyFor } = readProxies(variables)
  if (output('auth') === 'iam')
    return { url, stack: name, call, proxyFor, clientKey: null, sign: createGatewaySigner(session) }
  const clientKey = key ?? (variables['BACKSTOP_CLIENT_KEY'] || (await keyOfSecret(stack)))
  return { url, stack: name, call, proxyFor, clientKey }
}

async function keyOfSecret(stack: FoundStack): Promise<string> {
  const { defaultClientKey } = await readStackSecret(stack)
  if (typeof defaultClientKey === 'string' && defaultClientKey !== '') return defaultClientKey
  throw new CommandError(
    'The secret has no defaultClientKey. Set BACKSTOP_CLIENT_KEY to one of its client keys.',
  )
}
