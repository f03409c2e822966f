import { finishReasonOf } from './completion-fault.ts'
import { edgePageCode, judgeEdge } from './edge-fault.ts'
import { readErrorEnvelope, type ErrorEnvelope } from './envelope/error-envelope.ts'
import type { Failure } from './failure.ts'
import { BACKSTOP_HEADER, judgeAnswer } from './judge-answer.ts'
import { KINDS, type FailureKind } from './kinds.ts'
import { judgeNetworkCode } from './network-codes.ts'
import type { ProviderFailures } from './provider-failures.ts'
import { redactSecrets } from './secrecy/redact.ts'
import { refusedDetail } from './refused-detail.ts'
import { waitFromHints } from './waits/retry-after.ts'
import { renaming, wantedForm } from './wording/dialect-wording.ts'
import { mentionsStream, refusesStream } from './wording/stream-wording.ts'

/** What one attempt upstream showed. */
export type Observation = {
  /** A provider id of the catalogue, or any other name. */
  provider: string
  /** HTTP status; null where no response came. */
  status: number | null
  headers: Record<string, string>
  /** The body as far as it was read; in a stream the data of the event, or the raw lines. */
  body: string | null
  /** The cause code of a transport failure (`networkCodeOf`), or one of the engine's own `BACKSTOP_…` codes. */
  networkError: string | null
  /** Whether the failure came inside a stream that had begun with a good status. */
  inStream: boolean
  /** Epoch milliseconds. */
  now: number
}

const MESSAGE_LIMIT = 500
const HEADER_LIMIT = 200

const WORDLESS: Readonly<Record<ErrorEnvelope['form'], string>> = {
  empty: 'with an empty body',
  broken_json: 'with JSON that was cut short',
  ndjson: 'with the lines of another API',
  events: 'with a stream that ended without a finish',
  json: 'with a body that holds neither an error nor an answer',
  html: 'with a web page',
  text: 'with text',
}

/**
 * Tells what failed, whose fault it is, and what helps. Pure and total: every status, body and error gives exactly
 * one Failure, in bounded time, and nothing is thrown.
 * @param row what is known of the provider: its row of the catalogue
 */
export function classifyFailure(observation: Observation, row: ProviderFailures): Failure {
  const { status, body, networkError, inStream, now } = observation
  if (networkError !== null && networkError !== '') {
    const { verdict, code, message } = judgeNetworkCode(networkError)
    return { ...verdict, retryAfterMs: null, status, code, message: redactSecrets(message) }
  }
  const headers = lowerCase(observation.headers)
  const envelope = readErrorEnvelope(body, headers)
  const limited = status === 429 || envelope.status === 429
  const edge = status === null ? null : judgeEdge(status, headers, envelope)
  const verdict = edge ?? judgeAnswer({ provider: row, status: status ?? 0, headers, envelope, inStream })
  const plainly = isAboutStreams(verdict.kind, envelope, status)
  const { param, contextWindow, outputTokens } = refusedDetail(verdict.kind, envelope, status)
  return {
    ...verdict,
    retryAfterMs: waitFromHints({ headers, envelope, now, limited, zone: row.traits.zone }),
    status,
    code: codeOf(envelope),
    message: messageOf(envelope, status),
    ...(BACKSTOP_HEADER in headers ? { relayed: true as const } : {}),
    ...(plainly ? { mayAnswerPlainly: true as const } : {}),
    ...dialectOf(verdict.kind, envelope, status),
    ...(param === null ? {} : { refusedParam: param }),
    ...(contextWindow === null ? {} : { statedWindow: contextWindow }),
    ...(outputTokens === null ? {} : { statedOutput: outputTokens }),
  }
}

/** What a refusal asks for that changes nothing of the answer. */
function dialectOf(
  kind: FailureKind,
  { message, inner }: ErrorEnvelope,
  status: number | null,
): Pick<Failure, 'renamedParam' | 'wantedForm'> {
  if (status === null || status < 400 || status >= 500 || KINDS[kind].ownLimit !== null) return {}
  const words = `${message} ${inner}`
  const renamedParam = renaming(words)
  const form = wantedForm(words)
  return {
    ...(renamedParam === null ? {} : { renamedParam }),
    ...(form === null ? {} : { wantedForm: form }),
  }
}

/** A refusal that speaks of streams is worth one plain call before it counts, whatever its status. */
function isAboutStreams(kind: FailureKind, envelope: ErrorEnvelope, status: number | null): boolean {
  const words = `${envelope.message} ${envelope.inner}`
  if (status === null || status < 400) return false
  if (status >= 500) return refusesStream(words)
  return KINDS[kind].ownLimit !== 'quota' && kind !== 'auth' && mentionsStream(words)
}

function codeOf(envelope: ErrorEnvelope): string | null {
  const code = edgePageCode(envelope) ?? envelope.codes[0]
  if (code !== undefined) return redactSecrets(code)
  return envelope.hasError ? null : finishReasonOf(envelope.document)
}

function messageOf(envelope: ErrorEnvelope, status: number | null): string {
  const quoted = [envelope.message.replace(/:$/, ''), envelope.inner].filter(Boolean).join(': ')
  const said = redactSecrets(quoted) || `HTTP ${status ?? 'error'} ${wordless(envelope)}`
  return said.length > MESSAGE_LIMIT ? `${said.slice(0, MESSAGE_LIMIT - 1)}…` : said
}

function wordless(envelope: ErrorEnvelope): string {
  const finish = finishReasonOf(envelope.document)
  if (finish !== null) return `with an answer that finished as "${finish.slice(0, 60)}"`
  return WORDLESS[envelope.form]
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).slice(0, HEADER_LIMIT)
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), String(value).slice(0, 1_000)]),
  )
}
