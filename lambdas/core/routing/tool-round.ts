import type { ToolRound } from '../chat-request.ts'
import type { Failure } from '../failures/failure.ts'
import type { Settings } from '../settings/settings.ts'

/** A later round that nobody keeps track of is sent once: whoever got it a second time might run its tools again. */
export const isSentOnce = ({ later, tracked }: ToolRound, { tool_retries }: Settings): boolean =>
  later && !tracked && tool_retries !== 'lenient'

const TURNED_AWAY: ReadonlySet<number> = new Set([400, 401, 403, 404, 413, 429])
/** No request was sent: the host was not found, or nothing there took the connection. */
const NO_CONNECTION =
  /^(?:ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|BACKSTOP_CONNECT_TIMEOUT)$/

/** Nobody can have begun to work on the call. Behind another Backstop somebody may have. */
export const wasTurnedAway = ({ status, code, relayed }: Failure): boolean =>
  status === null ? NO_CONNECTION.test(code ?? '') : !relayed && TURNED_AWAY.has(status)
