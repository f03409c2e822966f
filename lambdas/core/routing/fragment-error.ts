import type { Endpoint } from '../endpoint.ts'
import type { Failure } from '../failures/failure.ts'
import { isOwnEnd } from '../failures/own-end.ts'
import { sentence } from '../sentence.ts'
import type { ClientError } from './error-codes.ts'

/** What a client is told whose stream broke off after output had reached it. */
export function fragmentError({ name }: Endpoint, failure: Failure): ClientError {
  const why = sentence(failure.message)
  const fragment = 'What came before is a fragment. It is not retried, because part of it was already sent.'
  if (isOwnEnd(failure)) return { code: 'gateway_stopped', message: `${why} ${fragment}` }
  return {
    code: failure.kind === 'timeout' ? 'upstream_timeout' : 'stream_cut',
    message: `The answer of ${name} broke off (${failure.kind}): ${why} ${fragment}`,
  }
}
