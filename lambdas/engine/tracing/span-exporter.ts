import { networkCodeOf } from '../../core/failures/network-code-of.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log-event.ts'
import { parseJson } from '../../core/parse-json.ts'
import { otlpRequest, type OtlpSpan } from '../../core/tracing/otlp.ts'
import type { TracingOptions } from '../../core/tracing/tracing-options.ts'
import type { Clock } from '../../platform/clock.ts'
import { readText } from '../request/answer/response-body.ts'
import { callUpstream, type Agents } from '../request/upstream/call-upstream.ts'
import { UpstreamError } from '../request/upstream/upstream-error.ts'
import { describeExportFailure, type ExportFailure } from './describe-export-failure.ts'

export type SpanExporter = {
  /** Takes finished spans; nothing is sent yet. */
  add(spans: readonly OtlpSpan[]): void
  /** What was added is sent, or kept for later. To be awaited before an invocation ends, because an instance is frozen then; null = there is nothing to await. */
  settled(): Promise<void> | null
}

export type ExporterTools = { agents: Agents; clock: Clock; log: Log }

/** As many as OpenTelemetry's own processor keeps and sends at once. */
const MOST_WAITING = 2_048
const MOST_AT_ONCE = 512
/** An invocation is billed while it waits, and whoever called it has been answered. */
const PATIENCE_MS = 1_000
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 5 * 60_000
const MAX_BYTES = 16 * 1024

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE: ReadonlySet<number | null> = new Set([null, 429, 502, 503, 504])

/**
 * Sends spans to a collector (OTLP over HTTP, in JSON): behind the answers that they tell of, one call at a time, so that
 * what ends meanwhile is sent together. A collector that fails is left alone for a while, for longer each time, and that is
 * logged once. The SDK of OpenTelemetry would do the same with a dozen packages, in each bundle too.
 */
export function createSpanExporter(
  options: TracingOptions,
  { agents, clock, log }: ExporterTools,
): SpanExporter {
  const { url, timeoutMs, compress } = options
  const waiting: OtlpSpan[] = []
  let sending: Promise<void> | null = null
  /** It took longer than an invocation waits: no other one waits for it. */
  let isSlow = false
  let pausedUntil = -Infinity
  let failures = 0
  let isTold = false
  let dropped = 0

  function keep(spans: readonly OtlpSpan[], where: 'first' | 'last'): void {
    if (where === 'first') waiting.unshift(...spans)
    else waiting.push(...spans)
    const excess = waiting.length - MOST_WAITING
    if (excess <= 0) return
    waiting.splice(0, excess)
    dropped += excess
  }

  async function post(spans: readonly OtlpSpan[]): Promise<ExportFailure | null> {
    const text = Buffer.from(otlpRequest(options.resource, spans))
    const ended = new AbortController()
    const cancel = clock.after(timeoutMs, () => ended.abort(new UpstreamError('BACKSTOP_TOTAL_TIMEOUT')))
    try {
      const { status, headers, body } = await callUpstream(
        {
          method: 'POST',
          url,
          headers: {
            ...options.headers,
            'content-type': 'application/json',
            ...(compress ? { 'content-encoding': 'gzip' } : {}),
          },
          body: compress ? process.getBuiltinModule('node:zlib').gzipSync(text) : text,
          connectMs: timeoutMs,
          signal: ended.signal,
        },
        agents,
        clock,
      )
      const answer = await readText(body, MAX_BYTES)
      body.destroy()
      if (status < 200 || status > 299) return { status, code: null, retryAfter: headers['retry-after'] }
      const rejected = rejectedIn(answer)
      return rejected > 0 ? { status, code: null, rejected } : null
    } catch (error) {
      return { status: null, code: networkCodeOf(error) ?? 'unknown' }
    } finally {
      cancel()
    }
  }

  function pause({ retryAfter }: ExportFailure): void {
    const ownMs = FIRST_PAUSE_MS * 2 ** Math.min(failures, 10)
    const toldMs = Number(retryAfter ?? 0) * 1_000 || 0
    pausedUntil = clock.now() + Math.min(LONGEST_PAUSE_MS, Math.max(ownMs, toldMs))
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0 && clock.now() >= pausedUntil) {
      const batch = waiting.splice(0, MOST_AT_ONCE)
      const failure = await post(batch)
      if (failure === null) {
        if (isTold) log({ event: 'spans-sent-again', dropped })
        isTold = false
        failures = 0
        dropped = 0
        continue
      }
      if (!isTold) log({ event: 'spans-not-sent', error: describeExportFailure(url, failure) })
      isTold = true
      if (RETRYABLE.has(failure.status)) keep(batch, 'first')
      else dropped += failure.rejected ?? batch.length
      if (failure.rejected !== undefined) continue
      pause(failure)
      failures += 1
    }
  }

  function send(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = null
      isSlow = false
    })
    return sending
  }

  async function patiently(call: Promise<void>): Promise<void> {
    // No sleep: what is waited for is the call, which is under way.
    let cancel = (): void => undefined
    const patience = new Promise<void>(resolve => {
      cancel = clock.after(PATIENCE_MS, () => {
        isSlow = true
        resolve()
      })
    })
    await Promise.race([call, patience])
    cancel()
  }

  return {
    add: spans => keep(spans, 'last'),
    settled() {
      if (waiting.length === 0 && sending === null) return null
      const call = send()
      return isSlow ? null : patiently(call)
    },
  }
}

/** How many spans a collector says that it did not take, although it took the request. */
function rejectedIn(answer: string): number {
  const parsed = parseJson(answer)
  const partial = isJsonObject(parsed) ? parsed.partialSuccess : null
  return isJsonObject(partial) ? Number(partial.rejectedSpans ?? 0) || 0 : 0
}
