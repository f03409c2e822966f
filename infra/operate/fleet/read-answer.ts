import type * as z from 'zod/mini'
import { type EndpointsAnswer, endpointsSchema } from '../../endpoints-contract.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { answerInTime } from './answer-in-time.ts'
import { callGateway, readError } from './call-gateway.ts'
import type { GatewayAddress } from './gateway-address.ts'

/** Checks what came from a gateway. Throws a CommandError where it has another shape, which is another version's. */
export function checkAnswer<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const place = error.issues[0]?.path.join('.') || 'it as a whole'
  throw new CommandError(
    `${what} cannot be read (${place} is not as expected). ` +
      'The gateway may run another version of Backstop than this command.',
  )
}

/** An answer of the gateway as JSON, checked. Throws what the gateway says where it is no success. */
export async function readAnswer<Schema extends z.ZodMiniType>(
  address: GatewayAddress,
  path: string,
  schema: Schema,
  init: RequestInit = {},
  limitMs?: number,
): Promise<z.infer<Schema>> {
  const read = async (signal: AbortSignal): Promise<unknown> => {
    const response = await callGateway(address, path, { ...init, signal })
    if (!response.ok) throw new CommandError(await readError(response))
    return response.json().catch(() => {
      signal.throwIfAborted()
      return null
    })
  }
  const limits = { signal: init.signal, ...(limitMs !== undefined && { limitMs }) }
  const body = await answerInTime(address.url, read, limits)
  return checkAnswer(schema, body, `The answer of ${address.url}${path}`)
}

/** `GET /v1/endpoints`. */
export const readEndpoints = (address: GatewayAddress, signal?: AbortSignal): Promise<EndpointsAnswer> =>
  readAnswer(address, '/v1/endpoints', endpointsSchema, signal ? { signal } : {})
