import { systemClock } from '../../../lambdas/platform/clock.ts'
import type { PageSource } from '../../page/page-source.ts'
import type { RequestLine } from '../../request-contract.ts'
import { callGateway } from '../fleet/call-gateway.ts'
import { findLoggedRequest } from '../fleet/logged-requests.ts'
import { fleetWords } from '../fleet/command-call.ts'
import { findStack } from '../fleet/find-stack.ts'
import type { FleetChoice } from '../fleet/fleet-options.ts'
import { fleetTools } from '../fleet/fleet-tools.ts'
import type { OpenFleet } from '../fleet/open-fleet.ts'
import { fleetOfStack } from '../fleet/open-stack-fleet.ts'
import { stackAddress } from '../fleet/stack-address.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { createLogFollower, LOG_EVERY_MS, LOG_LOOK_BACK_MS } from './follow-log.ts'
import { renewed } from './renewed.ts'

type Variables = Readonly<Record<string, string | undefined>>

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** What the session stands for may expire within the hour, and a client key may be changed. */
const RENEW_MS = 10 * 60_000
const KEPT_LINES = 1_000

/** What curl needs where the URL asks for a signature; the variables are those of the AWS CLI. */
const signedOptions = (region: string): readonly string[] => [
  `--aws-sigv4 "aws:amz:${region}:lambda" --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"`,
  '-H "x-amz-security-token: $AWS_SESSION_TOKEN"',
]
const KEY_OPTIONS = ['-H "authorization: Bearer $BACKSTOP_CLIENT_KEY"']

/** A deployed stack, as the page sees it: with the rights of whoever runs this process. */
export async function openStackPageSource(choice: FleetChoice, variables: Variables): Promise<PageSource> {
  const stack = await findStack(choice, variables)
  const { name, session, output } = stack
  const address = renewed(RENEW_MS, () => stackAddress(stack, choice, variables))
  const fleet = renewed(RENEW_MS, () => fleetOfStack(stack, choice, variables), closeLater)
  const lines = new Map<string, RequestLine>()
  const log = createLogFollower(stack)
  // What cannot be found or read at all is told before a page is opened.
  await Promise.all([address(), fleet()])
  return {
    facts: () => ({
      baseUrl: `${output('url').replace(/\/+$/, '')}/v1`,
      stack: name,
      fleetWords: fleetWords(choice).map(shellWord).join(' '),
      memory: `table ${output('table')} in ${session.region}`,
      curlOptions: output('auth') === 'iam' ? signedOptions(session.region) : KEY_OPTIONS,
      requestsNote: `From the log of the stack, read every ${LOG_EVERY_MS / 1_000} s while this page is open; a request appears there after some seconds.`,
    }),
    call: async (path, init) => callGateway(await address(), path, init),
    store: { readUsage: async (...range) => (await fleet()).store.readUsage(...range) },
    tools: async () => fleetTools(await fleet()),
    probe: async event => (await fleet()).probe(event),
    find: async requestId =>
      lines.get(requestId) ?? findLoggedRequest(stack, { requestId, since: systemClock.now() - DAY_MS }),
    follow: (note, problem) =>
      log.follow((line, at) => {
        lines.delete(line.requestId)
        lines.set(line.requestId, line)
        const [oldest] = lines.keys()
        if (lines.size > KEPT_LINES && oldest !== undefined) lines.delete(oldest)
        note(line, at)
      }, problem),
    lookBackMs: LOG_LOOK_BACK_MS,
    readEveryMs: {
      models: { idleMs: 10_000, newsMs: 3_000 },
      table: { idleMs: 60_000, newsMs: 60_000 },
    },
  }
}

/** What still reads through it may end. */
function closeLater(fleet: OpenFleet): void {
  systemClock.after(RENEW_MS, fleet.close)
}
