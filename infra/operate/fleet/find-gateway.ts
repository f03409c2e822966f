import { fleetChoice, type FleetChoice } from './fleet-options.ts'
import { gatewayAddress, type GatewayAddress } from './gateway-address.ts'
import { readDotEnv } from '../../terminal/read-dot-env.ts'

/** The gateway that a command is to ask. */
export async function findGateway(values: FleetChoice): Promise<GatewayAddress> {
  const choice = fleetChoice(values)
  if (choice.stack !== undefined) return addressOfStack(choice)
  const address = gatewayAddress(readDotEnv(process.cwd(), process.env), choice.url)
  return choice.key === undefined ? address : { ...address, clientKey: choice.key }
}

async function addressOfStack(choice: FleetChoice): Promise<GatewayAddress> {
  // Loaded where it is needed: clients of AWS take their time.
  const { findStack } = await import('./find-stack.ts')
  const { stackAddress } = await import('./stack-address.ts')
  return stackAddress(await findStack(choice, process.env), choice, process.env)
}
