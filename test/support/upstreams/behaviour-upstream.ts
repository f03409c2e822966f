import type { Behaviour, BehaviourUpstream } from '../behaviours.ts'
import type { Fault, HttpAnswer, UpstreamAnswer } from './upstream-answer.ts'

type PlayOptions = {
  /** Epoch milliseconds of the answer, for hints that name an instant. */
  readonly now: number
  /** What becomes of one recorded millisecond: 0.001 makes seconds milliseconds. Silence stays silence. */
  readonly timeScale?: number
}

/** What this upstream answers when it is asked now; null where no HTTP server can play it. */
export function behaviourUpstream(
  { upstream }: Behaviour,
  { now, timeScale = 0.001 }: PlayOptions,
): UpstreamAnswer | null {
  if (upstream.fault) return playableFault(upstream.fault)
  if (upstream.status === undefined) return null
  return {
    status: upstream.status,
    headers: expandHeaders(upstream.headers ?? {}, now),
    ...contentOf(upstream),
    ...timingOf(upstream.timing ?? {}, timeScale),
  }
}

function contentOf(upstream: BehaviourUpstream): Pick<HttpAnswer, 'body' | 'chunks' | 'gzip'> {
  const { body, body_raw, body_gzip_of, sse, sse_gzip = false, chunks_b64, timing } = upstream
  if (chunks_b64) return { chunks: chunks_b64.map(piece => Buffer.from(piece, 'base64')) }
  if (sse) return { chunks: sse, gzip: sse_gzip }
  if (body_gzip_of !== undefined) return { body: body_gzip_of, gzip: true }
  // A body that a close ends was sent without a length.
  if (body_raw && timing?.close_after_ms !== undefined) return { chunks: [body_raw] }
  return { body: body_raw ?? body ?? '' }
}

const ENDS = { clean_eof: 'clean', close_without_terminating_chunk: 'destroy', silence: 'silence' } as const

function timingOf(timing: NonNullable<BehaviourUpstream['timing']>, timeScale: number): Partial<HttpAnswer> {
  return {
    headersDelayMs: (timing.headers_ms ?? 0) * timeScale,
    firstChunkDelayMs: (timing.first_frame_ms ?? 0) * timeScale,
    gapMs: (timing.gap_ms ?? 0) * timeScale,
    endDelayMs: (timing.close_after_ms ?? 0) * timeScale,
    end: ENDS[timing.then ?? 'clean_eof'],
  }
}

const FAULTS: Readonly<Record<string, Fault | HttpAnswer>> = {
  no_response: 'no-response',
  'timeout headers': 'no-response',
  'UND_ERR_HEADERS_TIMEOUT headers': 'no-response',
  'UND_ERR_BODY_TIMEOUT body': { chunks: [], end: 'silence' },
  'ECONNRESET before_headers': 'reset-before-headers',
  'EPIPE write_body': 'close-before-headers',
}

function playableFault({ type, when }: NonNullable<BehaviourUpstream['fault']>): UpstreamAnswer | null {
  const fault = FAULTS[when === undefined ? type : `${type} ${when}`]
  return typeof fault === 'string' ? { fault } : (fault ?? null)
}

function expandHeaders(headers: Readonly<Record<string, string>>, now: number): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, expandInstant(value, now)]))
}

const INSTANT = /\$(HTTP_DATE|EPOCH_S|EPOCH_MS)\(\+(\d+)s\)/g

/** Fills in the instants that a recording could only name relative to the answer. */
export function expandInstant(text: string, now: number): string {
  return text.replace(INSTANT, (_, form: string, seconds: string) => {
    const at = now + Number(seconds) * 1000
    if (form === 'HTTP_DATE') return new Date(at).toUTCString()
    return String(form === 'EPOCH_S' ? Math.round(at / 1000) : at)
  })
}
