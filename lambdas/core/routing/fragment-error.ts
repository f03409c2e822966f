import type { Endpoint } from '../endpoint.ts'
import type { Failure } from '../failures/failure.ts'
import { sentence } from '../sentence.ts'
import type { ClientError } from './error-codes.ts'

/** What a client is told whose stream broke off after output had reached it. */
export const fragmentError = ({ name }: Endpoint, failure: Failure): ClientError => ({
  code: failure.kind === 'timeout' ? 'upstream_timeout' : 'stream_cut',
  message:
    `The answer of ${name} broke off (${failure.kind}): ${sentence(failure.message)} ` +
    'What came before is a fragment. It is not retried, because part of it was already sent.',
})
