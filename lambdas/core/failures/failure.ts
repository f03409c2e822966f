import type { WantedForm } from './wording/dialect-wording.ts'
import type { FailureClass, FailureKind, FailureScope } from './kinds.ts'

/** Why one attempt failed. Pure data: it never encodes whether a stream had been committed. */
export type Failure = {
  class: FailureClass
  kind: FailureKind
  scope: FailureScope
  /** Proves the endpoint dead: only such failures may move its health. */
  structural: boolean
  /** How long the upstream asked us to wait, in milliseconds; null where it did not say. */
  retryAfterMs: number | null
  /** Could another endpoint serve the same request? */
  tryNext: boolean
  /** HTTP status of the upstream; null where no response came. */
  status: number | null
  /** The upstream's own error code or type, or the network cause code. */
  code: string | null
  /** The upstream's own words, without keys: for the client whose request it was, and for nobody else. */
  message: string
  /** The same for the table, the log and everybody else; null = nothing of it. Missing where no client asked. */
  stored?: string | null
  /** The field that was refused as such, whatever its value, where the upstream named one. */
  refusedParam?: string
  /** It speaks of streams: called plainly, the same endpoint may answer. */
  mayAnswerPlainly?: true
  /** The field that it wants instead of another one for the same. */
  renamedParam?: { from: string; to: string }
  /** The form in which it wants the history. */
  wantedForm?: WantedForm
  /** The size of the window, in tokens, where a prompt was too long for it and the upstream said so. */
  statedWindow?: number
  /** The longest answer that may be asked for, in tokens, where a longer one was. */
  statedOutput?: number
  /** It came through another Backstop, which has already retried and failed over for it. */
  relayed?: true
}
