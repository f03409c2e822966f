import shippedConfig from '#gateway-config'
import { endpointsOf } from '../../../lambdas/config/endpoints-of.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../../lambdas/config/resolve-gateway.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { PATIENT_LIMITS, createDynamoClients } from '../../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../../lambdas/store/dynamo-store.ts'
import { findStack, type FoundStack } from './find-stack.ts'
import type { FleetChoice } from './fleet-options.ts'
import { invokeProbe } from './invoke-probe.ts'
import type { OpenFleet } from './open-fleet.ts'
import { readEndpoints } from './read-answer.ts'
import { stackAddress } from './stack-address.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** The fleet of a stack that was found. */
export async function fleetOfStack(
  stack: FoundStack,
  choice: FleetChoice,
  variables: Variables,
): Promise<OpenFleet> {
  const { session, output, call } = stack
  const { region, credentials, requestHandler } = session
  const { httpsAgent } = requestHandler
  // Of this checkout, and not of the gateway: what is set to save it must not wait for its answer.
  const gateway = resolveGateway(parseGatewayConfig(shippedConfig), {}, region)
  const table = output('table')
  const clients = createDynamoClients(
    // Whoever watches for hours needs credentials anew.
    { region, credentials, ...(httpsAgent && { httpsAgent }) },
    PATIENT_LIMITS,
  )
  return {
    endpoints: endpointsOf(gateway),
    settings: gateway.settings,
    warnings: gateway.warnings,
    store: createDynamoStore({ clients, table, now: systemClock.now }),
    stack: stack.name,
    call,
    tableAt: `${table} in ${region}`,
    describe: async signal => readEndpoints(await stackAddress(stack, choice, variables), signal),
    probe: event => invokeProbe(stack, event),
    close: clients.destroy,
  }
}

/** Finds the memory of a deployed gateway through the outputs of its stack. */
export async function openStackFleet(choice: FleetChoice, variables: Variables): Promise<OpenFleet> {
  return fleetOfStack(await findStack(choice, variables), choice, variables)
}
