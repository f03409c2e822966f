/** Where a request stands in a trace: https://www.w3.org/TR/trace-context-2/ */
export type TraceContext = {
  /** 32 hexadecimal digits. */
  traceId: string
  /** Of the caller's span: 16 hexadecimal digits. */
  spanId: string
  /** Bits of the last field. */
  flags: number
  /** What other systems pass along; null = nothing. */
  state: string | null
}

export const SAMPLED = 1
/** The bits that have a meaning: sampled, and random. */
const KNOWN_FLAGS = 3

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/

const MOST_MEMBERS = 32
/** What has to be passed on; more of it could be more than an upstream takes of headers. */
const LONGEST_STATE = 512
const MEMBER =
  /^(?:[a-z0-9][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** The members that may be passed on, the newest first; null where the list is malformed: it is ignored whole then. */
function readState(text: string | undefined): string | null {
  const members = (text ?? '').split(',', MOST_MEMBERS * 2).map(member => member.trim())
  const filled = members.filter(member => member !== '')
  const keys = new Set(filled.map(member => member.slice(0, member.indexOf('='))))
  if (filled.length > MOST_MEMBERS || keys.size < filled.length) return null
  if (!filled.every(member => MEMBER.test(member))) return null
  let state = ''
  for (const member of filled) {
    const longer = state === '' ? member : `${state},${member}`
    if (longer.length > LONGEST_STATE) break
    state = longer
  }
  return state || null
}

/** The context that a caller sends; null where there is none, or none that the specification allows. */
export function readTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | null {
  const match = TRACEPARENT.exec(traceparent?.trim() ?? '')
  if (!match) return null
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match
  // Later versions may have further fields, and this one has none.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & KNOWN_FLAGS, state: readState(tracestate) }
}

/** The headers that pass a context on. */
export function traceHeaders({ traceId, spanId, flags, state }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`
  return state === null ? { traceparent } : { traceparent, tracestate: state }
}
