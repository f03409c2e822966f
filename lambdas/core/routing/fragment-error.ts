import type { Failure } from '../failures/failure.ts'
import { ERROR_CODES } from './error-codes.ts'
import type { JsonObject } from '../json.ts'
import { sentence } from '../sentence.ts'
import type { Trail } from './trail.ts'

/** The attempts as an error body lists them. */
export const attemptList = (trail: Trail): readonly JsonObject[] =>
  trail.map(({ endpoint, outcome, status, durationMs }) => ({
    endpoint: endpoint.name,
    kind: outcome,
    status,
    ms: durationMs,
  }))

/** The last event of a stream that broke off after output had reached the client, in OpenAI's shape. */
export function fragmentError(trail: Trail, failure: Failure): JsonObject {
  const served = trail.at(-1)
  // It had committed, so its record still says that it went well.
  const ended = served ? [...trail.slice(0, -1), { ...served, outcome: failure.kind, failure }] : trail
  const code = failure.kind === 'timeout' ? 'upstream_timeout' : 'stream_cut'
  return {
    error: {
      message:
        `The answer of ${served?.endpoint.name ?? 'the upstream'} broke off (${failure.kind}): ${sentence(failure.message)} ` +
        'What came before is a fragment. It is not retried, because part of it was already sent.',
      type: ERROR_CODES[code].type,
      param: null,
      code,
      attempts: attemptList(ended),
    },
  }
}
