import type { ErrorEnvelope } from '../envelope/error-envelope.ts'
import type { Verdict } from '../verdict.ts'

/** One line of a provider's own vocabulary: all the conditions that it states must hold. */
export type CodeRule = {
  /** The provider's code, type or status word; any one of them, whatever its case. */
  readonly codes?: readonly string[]
  /** Its words, where one code has several meanings. */
  readonly says?: RegExp
  /** Machine-readable detail beside the message. */
  readonly evidence?: RegExp
  /** HTTP statuses (or those that a body in a 200 claims). */
  readonly status?: readonly number[]
  readonly gives: Verdict
}

/** The first rule of a table that holds; rules with neither code, words nor evidence never do. */
export function matchCodeRule(
  table: readonly CodeRule[],
  envelope: ErrorEnvelope,
  status: number | null,
): Verdict | null {
  const codes = new Set(envelope.codes.map(code => code.toLowerCase()))
  const rule = table.find(
    ({ codes: wanted, says, evidence, status: statuses }) =>
      (wanted ?? says ?? evidence) !== undefined &&
      (wanted?.some(code => codes.has(code.toLowerCase())) ?? true) &&
      (says?.test(envelope.message) ?? true) &&
      (evidence?.test(envelope.evidence) ?? true) &&
      (statuses === undefined || (status !== null && statuses.includes(status))),
  )
  return rule?.gives ?? null
}
