import { localAccess } from '../../../lambdas/store/local-access.ts'
import type { EndpointsAnswer } from '../../endpoints-contract.ts'
import { type ProbeLine, type TableFacts, probeReportSchema, tableFactsSchema } from '../../local-contract.ts'
import type { ProbeEvent } from '../../../lambdas/compose/probe.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { PATIENT_LIMITS, createDynamoClients } from '../../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../../lambdas/store/dynamo-store.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import type { CommandCall } from './command-call.ts'
import { answerInTime } from './answer-in-time.ts'
import { callGateway, readError } from './call-gateway.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { FleetChoice } from './fleet-options.ts'
import { gatewayAddress, type GatewayAddress } from './gateway-address.ts'
import { checkAnswer, readAnswer, readEndpoints } from './read-answer.ts'

/** A fleet, as the commands for the person on call see it: its memory, and the gateway that acts on it. */
export type OpenFleet = Pick<TableFacts, 'endpoints' | 'settings' | 'warnings'> & {
  store: FleetStore
  /** The stack that it is; null = on this machine. */
  stack: string | null
  /** How other commands are called about it. */
  call: CommandCall
  /** Where its memory is, for messages. */
  tableAt: string
  /** `GET /v1/endpoints`. */
  describe(signal?: AbortSignal): Promise<EndpointsAnswer>
  /** Runs a probe pass now. */
  probe(event: ProbeEvent): Promise<readonly ProbeLine[]>
  close(): void
}

type Variables = Readonly<Record<string, string | undefined>>

/** A probe pass may take two minutes. */
const PASS_MS = 130_000

const factsOf = (address: GatewayAddress): Promise<TableFacts> =>
  answerInTime(address.url, signal => askFacts(address, signal))

async function askFacts(address: GatewayAddress, signal: AbortSignal): Promise<TableFacts> {
  const response = await callGateway(address, '/local/table', { signal })
  if (response.ok)
    return checkAnswer(tableFactsSchema, await response.json(), `The answer of ${address.url}/local/table`)
  // It has such a route, and does not let this caller in.
  if (response.status === 401 || response.status === 403) throw new CommandError(await readError(response))
  throw new CommandError(
    `The gateway at ${address.url} was not started with npm start, so this command cannot reach its state. ` +
      'For a deployed gateway, use --stack NAME.',
  )
}

/** Finds the fleet's memory through the running gateway. */
export async function openFleet({ url, key }: FleetChoice, variables: Variables): Promise<OpenFleet> {
  const found = gatewayAddress(variables, url)
  const address = key === undefined ? found : { ...found, clientKey: key }
  const { endpoint, table, settings, endpoints, warnings } = await factsOf(address)
  const clients = createDynamoClients(localAccess(endpoint, variables), PATIENT_LIMITS)
  return {
    endpoints,
    settings,
    warnings,
    store: createDynamoStore({ clients, table, now: systemClock.now }),
    stack: null,
    call: address.call,
    tableAt: endpoint,
    describe: signal => readEndpoints(address, signal),
    async probe(event) {
      const init = { method: 'POST', body: JSON.stringify(event) }
      return (await readAnswer(address, '/local/probe', probeReportSchema, init, PASS_MS)).probes
    },
    close: clients.destroy,
  }
}
