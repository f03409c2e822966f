import type { CompletedLine } from '../../local-contract.ts'
import { statusOfCode } from '../../explain/request-row.ts'
import type { RequestLine } from '../../request-contract.ts'
import type { RequestFilter, RequestRow } from '../page-contract.ts'
import { isFallback } from './count-request.ts'

/** The last requests, as rows for people. */
export type RequestList = {
  add(line: RequestLine, at: number): RequestRow
  /** The newest rows that match, newest first; `before`: only those with a lower serial. */
  find(filter: RequestFilter, limit: number, before?: number): readonly RequestRow[]
  /** Everybody who is in the list, by name. */
  callers(): readonly string[]
}

const KEPT = 1_000
const MOST_HOPS = 6
const MOST_SKIPS = 3

/** Keeps as many rows as the gateway keeps requests that can be explained. */
export function createRequestList(limit = KEPT): RequestList {
  const rows: RequestRow[] = []
  let serial = 0
  return {
    add(line, at) {
      serial += 1
      const row = { serial, id: line.requestId, at, ...shownOf(line) }
      rows.push(row)
      // In batches: to shift an array of a thousand at each request costs more than the request's row.
      if (rows.length >= 2 * limit) rows.splice(0, rows.length - limit)
      return row
    },
    find(filter, most, before = Number.POSITIVE_INFINITY) {
      const found: RequestRow[] = []
      for (let index = rows.length - 1; index >= Math.max(0, rows.length - limit); index -= 1) {
        const row = rows[index]
        if (!row || row.serial >= before || !matches(row, filter)) continue
        found.push(row)
        if (found.length === most) break
      }
      return found
    },
    callers: () => [...new Set(rows.flatMap(({ caller }) => caller ?? []))].toSorted(),
  }
}

export function matches(row: RequestRow, { model, caller, outcome }: RequestFilter): boolean {
  if (model !== undefined && row.model !== model) return false
  if (caller !== undefined && row.caller !== caller) return false
  if (outcome === 'fallback') return isFallback(row)
  return outcome === undefined || row.outcome === outcome
}

type Shown = Omit<RequestRow, 'serial' | 'id' | 'at'>

/** What a request that was refused at the door has none of. */
const NOTHING_PLANNED = {
  model: null,
  servedBy: null,
  tier: null,
  hops: [],
  moreHops: 0,
  skips: [],
  ms: null,
  tokens: null,
  dollars: null,
}

function shownOf(line: RequestLine): Shown {
  if (line.event === 'request-completed') return plannedOf(line)
  const { caller = null, code } = line
  return { ...NOTHING_PLANNED, caller, outcome: 'rejected', status: statusOfCode(code), code }
}

function plannedOf(line: CompletedLine): Shown {
  const { usage, attempts, servedBy, alias, caller = null, outcome, status, code, dollars } = line
  const served = line.plan.candidates.find(({ endpoint }) => endpoint === servedBy)
  return {
    model: alias,
    caller,
    outcome,
    status,
    code,
    servedBy,
    tier: served?.tier ?? null,
    hops: attempts.slice(-MOST_HOPS).map(({ endpoint, outcome, status, durationMs }) => ({
      endpoint,
      outcome,
      status,
      ms: Math.round(durationMs),
    })),
    moreHops: Math.max(0, attempts.length - MOST_HOPS),
    // Where something was called, that tells more.
    skips:
      attempts.length > 0
        ? []
        : line.plan.skipped.slice(0, MOST_SKIPS).map(({ endpoint, reason }) => ({ endpoint, reason })),
    ms: Math.round(line.durationMs),
    tokens: usage ? usage.promptTokens + usage.completionTokens : null,
    dollars,
  }
}
