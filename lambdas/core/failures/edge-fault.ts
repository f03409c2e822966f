import type { ErrorEnvelope } from './envelope/error-envelope.ts'
import { verdict, type Verdict } from './verdict.ts'

const UNREACHABLE = verdict('network', { class: 'fatal' })
const AT_THE_EDGE = { scope: 'endpoint' } as const
const EDGE_BLOCK = verdict('permission', AT_THE_EDGE)

/** https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/ */
const CLOUDFLARE_PAGE_CODES: ReadonlyMap<string, Verdict> = new Map([
  ['1000', verdict('dns')],
  ['1001', verdict('dns')],
  ['1016', verdict('dns')],
  ['1033', verdict('dns')],
  ['1015', verdict('rate_limit', AT_THE_EDGE)],
  ['1027', verdict('rate_limit', AT_THE_EDGE)],
  ...['1003', '1005', '1006', '1007', '1008', '1009', '1010', '1011', '1012', '1013', '1020'].map(
    code => [code, EDGE_BLOCK] as const,
  ),
])

/** Statuses of an edge that speak of the connection to the origin behind it. */
const ORIGIN_STATUSES: ReadonlyMap<number, Verdict> = new Map([
  [520, verdict('server_error', AT_THE_EDGE)],
  [521, UNREACHABLE],
  [522, verdict('timeout')],
  [523, UNREACHABLE],
  [524, verdict('timeout')],
  [525, verdict('tls')],
  [526, verdict('tls')],
  [527, verdict('server_error', AT_THE_EDGE)],
  [530, verdict('server_error', AT_THE_EDGE)],
])

/** The number that Cloudflare prints on its own pages: `error code: 1010`. */
export function edgePageCode(envelope: ErrorEnvelope): string | null {
  if (envelope.form !== 'text' && envelope.form !== 'html') return null
  return /\berror(?: code)?:? (1\d{3})\b/i.exec(`${envelope.message} ${envelope.evidence}`)?.[1] ?? null
}

/** Judges what an edge in front of the provider says in its own name; null where the provider itself answered. */
export function judgeEdge(
  status: number,
  headers: Readonly<Record<string, string>>,
  envelope: ErrorEnvelope,
): Verdict | null {
  // The error page is decided by the code on it, never by a code inside a provider's JSON.
  const known = CLOUDFLARE_PAGE_CODES.get(edgePageCode(envelope) ?? '')
  if (known && status >= 400) {
    const dead = known.class === 'fatal' && status !== 530 && status < 500
    return dead ? EDGE_BLOCK : known
  }
  if (
    headers['cf-mitigated'] === 'challenge' ||
    /^(?:just a moment|attention required)/i.test(envelope.message)
  ) {
    return EDGE_BLOCK
  }
  // A relay may quote such a status in JSON about a host of its own.
  const relayed = envelope.form === 'json' && envelope.hasError
  return relayed ? null : (ORIGIN_STATUSES.get(status) ?? null)
}
