import {
  type RequestLine,
  type RequestRow,
  requestLineSchema,
  requestRowsSchema,
} from '../../request-contract.ts'
import { explainRejection } from '../../explain/explain-rejection.ts'
import { explainRequest } from '../../explain/explain-request.ts'
import type { Paint } from '../../terminal/paint.ts'
import { findGateway } from './find-gateway.ts'
import { fleetChoice, type FleetChoice } from './fleet-options.ts'
import { CommandError } from '../../terminal/command-error.ts'
import type { GatewayAddress } from './gateway-address.ts'
import type { FoundStack } from './find-stack.ts'
import type { RequestQuery } from './logged-requests.ts'
import { readAnswer } from './read-answer.ts'

/** Where requests are remembered: the memory of a gateway on this machine, or the log of a stack. */
export type RequestSource = {
  /** The newest first. */
  newest(query: RequestQuery): Promise<readonly RequestRow[]>
  /** Throws where there is none with this ID. */
  one(requestId: string): Promise<RequestLine>
  /** How far back it reaches, for a message: `among the last 1,000`. */
  reach: string
}

/** The memory or the log of the gateway that a command is about. */
export async function openRequests(values: FleetChoice, hours: number): Promise<RequestSource> {
  const choice = fleetChoice(values)
  if (choice.stack === undefined) return gatewayRequests(await findGateway(choice))
  // Loaded where it is needed: clients of AWS take their time.
  const { findStack } = await import('./find-stack.ts')
  return stackRequests(await findStack(choice, process.env), hours, Date.now())
}

/** What `npm run why` tells of a request. */
export const explainLine = (line: RequestLine, paint: Paint): string[] =>
  line.event === 'request-completed' ? explainRequest(line, paint) : explainRejection(line, Date.now(), paint)

/** The same of a request of the last hour, by its ID. */
export async function explainById(values: FleetChoice, requestId: string, paint: Paint): Promise<string[]> {
  return explainLine(await (await openRequests(values, 1)).one(requestId), paint)
}

/** What a gateway on this machine remembers. */
export const gatewayRequests = (address: GatewayAddress): RequestSource => ({
  async newest({ outcomes, model, limit }) {
    const query = new URLSearchParams({
      ...(outcomes && { outcome: outcomes.join(',') }),
      ...(model !== undefined && { model }),
      limit: String(limit),
    })
    return (await readAnswer(address, `/local/requests?${query}`, requestRowsSchema)).data
  },
  one: id => readAnswer(address, `/local/requests/${encodeURIComponent(id)}`, requestLineSchema),
  reach: 'among the last 1,000 that the gateway remembers',
})

/** What the log of a stack holds. */
export async function stackRequests(stack: FoundStack, hours: number, now: number): Promise<RequestSource> {
  // Loaded where it is needed: clients of AWS take their time.
  const { findLoggedRequest, findNewestRequests } = await import('./logged-requests.ts')
  const since = now - hours * 3_600_000
  const seen = new Map<string, RequestLine>()
  return {
    async newest(query) {
      const found = await findNewestRequests(stack, query, { now, since })
      for (const { line } of found) seen.set(line.requestId, line)
      return found.map(({ row }) => row)
    },
    async one(requestId) {
      const line = seen.get(requestId) ?? (await findLoggedRequest(stack, { requestId, since }))
      if (line) return line
      throw new CommandError(
        `No request with this ID in the log of '${stack.name}' within the last ${hours} hours. ` +
          'A new request appears after a few seconds; --hours N searches further back. ' +
          `The newest one: ${stack.call('why', 'last')}`,
      )
    },
    reach: `in the log of '${stack.name}' within the last ${hours} hours`,
  }
}
