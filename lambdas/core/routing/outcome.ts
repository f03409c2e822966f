import type { Candidate } from '../endpoint.ts'
import type { FinalError } from './error-codes.ts'
import type { JsonObject } from '../json.ts'
import type { Plan } from './plan.ts'
import type { Trail } from './trail.ts'

/** Lets go of the upstream and records how the answer ended. To be called once, however the sending went. */
export type CloseAnswer = () => Promise<void>

/** How a request ended, as far as its status line goes: a stream's own end comes later. */
export type Outcome = { plan: Plan; trail: Trail } & (
  | { kind: 'streamed'; candidate: Candidate; blocks: AsyncIterable<string>; close: CloseAnswer }
  | { kind: 'whole'; candidate: Candidate; completion: JsonObject; close: CloseAnswer }
  | { kind: 'failed'; finalError: FinalError }
)
