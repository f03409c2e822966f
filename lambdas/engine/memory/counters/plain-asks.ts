import type { EndpointId } from '../../../core/endpoint.ts'
import type { FailureKind } from '../../../core/failures/kinds.ts'
import type { Failure } from '../../../core/failures/failure.ts'
import { wasTurnedAway } from '../../../core/routing/tool-round.ts'
import type { Clock } from '../../../platform/clock.ts'

/** After so long an endpoint that did not answer plainly is asked plainly again. */
const REFUSED_MS = 15 * 60_000
const MOST_ENDPOINTS = 2_000

/** What this instance knows of endpoints that it has asked for whole answers by its own choice. */
export type PlainAsks = {
  mayAsk(endpoint: EndpointId): boolean
  answered(endpoint: EndpointId): void
  /** Whether the failure may be one of the way of asking alone: then the same is to be asked for as a stream. */
  failed(endpoint: EndpointId, failure: Failure): boolean
}

/** A stream would meet the same. */
const SAME_FOR_STREAMS: ReadonlySet<FailureKind> = new Set([
  'auth',
  'content_filter',
  'context_length',
  'dns',
  'model_not_found',
  'model_unavailable',
  'payload_too_large',
  'quota_exhausted',
  'tls',
])

/** Limits of a host may be others for what is not streamed; a wait that it states is kept to. */
const isSameForStreams = (failure: Failure): boolean =>
  SAME_FOR_STREAMS.has(failure.kind) ||
  (failure.status === null && wasTurnedAway(failure)) ||
  failure.retryAfterMs !== null

/** A request that is wrong in itself, as a host says that has answered plain ones. */
const isOfTheRequest = ({ kind, message }: Failure): boolean =>
  kind === 'bad_request' && !/stream/i.test(message)

/** The client has left, or the gateway ends. */
const isOurEnd = ({ code }: Failure): boolean => code === 'ABORT_ERR' || code === 'BACKSTOP_SHUTDOWN'

/**
 * A choice of ours must cost no client an answer. Hosts that only stream rarely say so, and some break only where a plain
 * answer is long, so what fails is asked for again as a stream, and for a while nothing else is.
 */
export function createPlainAsks(clock: Pick<Clock, 'now'>): PlainAsks {
  const failedAt = new Map<EndpointId, number>()
  const answeredBy = new Set<EndpointId>()
  return {
    mayAsk: endpoint => clock.now() - (failedAt.get(endpoint) ?? 0) >= REFUSED_MS,
    answered(endpoint) {
      if (answeredBy.size < MOST_ENDPOINTS) answeredBy.add(endpoint)
    },
    failed(endpoint, failure) {
      if (isOurEnd(failure) || isSameForStreams(failure)) return false
      if (answeredBy.has(endpoint) && isOfTheRequest(failure)) return false
      // Those that failed last stay longest.
      failedAt.delete(endpoint)
      failedAt.set(endpoint, clock.now())
      const [oldest] = failedAt.keys()
      if (oldest !== undefined && failedAt.size > MOST_ENDPOINTS) failedAt.delete(oldest)
      return true
    },
  }
}
