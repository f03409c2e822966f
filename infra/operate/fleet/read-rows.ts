import type { EndpointRow } from '../../../lambdas/engine/memory/describe-fleet.ts'
import { callGateway, readError } from './call-gateway.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { GatewayAddress } from './gateway-address.ts'

/** An answer of the gateway as JSON. Throws what the gateway says where it is no success. */
export async function readJson<Body>(
  address: GatewayAddress,
  path: string,
  init: RequestInit = {},
): Promise<Body> {
  const response = await callGateway(address, path, init)
  if (!response.ok) throw new CommandError(await readError(response))
  return (await response.json()) as Body
}

/** `GET /v1/endpoints`. */
export async function readRows(
  address: GatewayAddress,
  signal?: AbortSignal,
): Promise<readonly EndpointRow[]> {
  const init = signal ? { signal } : {}
  return (await readJson<{ data: EndpointRow[] }>(address, '/v1/endpoints', init)).data
}
