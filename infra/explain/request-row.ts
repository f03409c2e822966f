import { isJsonObject } from '../../lambdas/core/json.ts'
import { ERROR_CODES } from '../../lambdas/core/routing/error-codes.ts'

/** What a request that was refused at the door has none of. */
const NOTHING_PLANNED = {
  outcome: 'rejected',
  alias: null,
  caller: null,
  stream: null,
  servedBy: null,
  attempts: [],
  skipped: [],
  usage: null,
  dollars: null,
  firstTokenMs: null,
  durationMs: null,
} as const

/** What a list shows of a request's line, for its schema to check and to leave the rest out. */
export function requestRowFields(line: Readonly<Record<string, unknown>>): object {
  if (line.event !== 'request-rejected')
    return { ...line, skipped: isJsonObject(line.plan) ? line.plan.skipped : undefined }
  return {
    ...NOTHING_PLANNED,
    ...line,
    status: typeof line.code === 'string' ? statusOfCode(line.code) : null,
  }
}

/** The HTTP status with which a client is told a code; null where this version does not know it. */
export const statusOfCode = (code: string): number | null =>
  Object.entries(ERROR_CODES).find(([name]) => name === code)?.[1].status ?? null
