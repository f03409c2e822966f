import {
  asksBeyondLimit,
  limitsAccount,
  limitsOneModel,
  limitWindow,
  LOADING_WORDING,
  OVERLOAD_WORDING,
  saysOurLimit,
  SHORTAGE_WORDING,
  withoutDenials,
} from './wording/capacity-wording.ts'
import { matchCodeRule } from './codes/code-rule.ts'
import {
  COMMON_FIELD_CODES,
  COMMON_REQUEST_CODES,
  COMMON_TARGET_CODES,
  STATUS_OF_TYPE,
} from './codes/common-codes.ts'
import { judgeCompletion } from './completion-fault.ts'
import type { ErrorEnvelope } from './envelope/error-envelope.ts'
import { refusesField } from './wording/field-wording.ts'
import { refusesStream } from './wording/stream-wording.ts'
import { judgeMoney } from './judge-money.ts'
import { saysComesBack, saysNoMoney } from './wording/money-wording.ts'
import type { ProviderFailures, ProviderTraits } from './provider-failures.ts'
import {
  BROKEN_REQUEST_WORDING,
  CONTEXT_WORDING,
  FILTER_WORDING,
  MODALITY_WORDING,
  SIZE_WORDING,
  TASTE_WORDING,
  TEMPLATE_WORDING,
  TOOL_WORDING,
} from './wording/request-wording.ts'
import { isDaySpent } from './waits/reset-headers.ts'
import { placeServerError, verdictForStatus } from './status-verdict.ts'
import {
  BARE_RETIREMENT_WORDING,
  CLIENT_GATE_WORDING,
  KEY_WORDING,
  PASSING,
  PATH_WORDING,
  PERMISSION_WORDING,
  RETIREMENT_WORDING,
} from './wording/target-wording.ts'
import { verdict, type Verdict } from './verdict.ts'
import { matchWording, mentionsModel } from './wording/wording.ts'

/** Every chat answer of a Backstop carries it, also where it is an error. */
export const BACKSTOP_HEADER = 'x-backstop-attempts'

/** An HTTP answer that is a failure. */
export type Answer = {
  readonly provider: ProviderFailures
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly envelope: ErrorEnvelope
  readonly inStream: boolean
}

/**
 * Judges an answer in the order of trust: the provider's own codes, what the request asked for, money, the target,
 * capacity and limits, and the status last, because status codes lie.
 */
export function judgeAnswer(answer: Answer): Verdict {
  const { provider, status, envelope, inStream } = answer
  const { traits } = provider
  const inBand = status >= 200 && status < 300
  if (!inBand) return placeServerError(judgeError(answer, status, traits), traits, 'provider')
  const told = matchCodeRule(provider.codes, envelope, envelope.status)
  if (told && envelope.hasError) return told
  if (!envelope.hasError) {
    const path = matchWording(PATH_WORDING, envelope.form === 'text' ? envelope.message : '')
    return path ?? judgeCompletion(envelope, inStream)
  }
  const path = envelope.status === null ? matchWording(PATH_WORDING, envelope.message) : null
  if (path) return path
  const claimed =
    envelope.status ?? statusOfType(envelope) ?? statusOfWords(envelope.message, inStream) ?? 500
  // Inside a 200 the service answered, and one run failed.
  return placeServerError(judgeError(answer, claimed, traits), traits, 'model')
}

function judgeError(answer: Answer, status: number, traits: ProviderTraits): Verdict {
  const { provider, envelope, headers } = answer
  // A Backstop says 400 where the request is at fault: in its 5xx such words are those of one of its endpoints.
  const quotes = BACKSTOP_HEADER in headers && status >= 500
  return (
    matchCodeRule(provider.codes, envelope, status) ??
    (status === 401 ? verdictForStatus(status, envelope) : null) ??
    matchWording(CLIENT_GATE_WORDING, envelope.message) ??
    (quotes ? null : judgeRequest(envelope, status)) ??
    judgeMoney(envelope, status) ??
    judgeTarget(envelope, status) ??
    judgeCapacity(answer, status, traits) ??
    verdictForStatus(status, envelope)
  )
}

/** What the request asks for. Only here may quoted words of a further upstream decide. */
function judgeRequest(envelope: ErrorEnvelope, status: number): Verdict | null {
  const { message, inner, codes, innerCodes } = envelope
  const coded = { ...envelope, codes: [...codes, ...innerCodes] }
  const notAboutFields = [402, 403, 429].includes(status)
  const filtered = matchWording(FILTER_WORDING, message) ?? matchWording(FILTER_WORDING, inner)
  if (filtered) return filtered
  if ((status === 429 || status === 413) && asksBeyondLimit(message)) return verdict('payload_too_large')
  const size =
    matchWording(SIZE_WORDING, message) ??
    matchCodeRule(COMMON_REQUEST_CODES, coded, status) ??
    longText(envelope)
  if (size) return size
  for (const words of [message, inner]) {
    const refused =
      maximumRefusal(words) ??
      matchWording(CONTEXT_WORDING, words) ??
      (notAboutFields ? null : capabilityRefusal(words, envelope, status))
    if (refused) return refused
  }
  const broken = status < 500 && !notAboutFields ? brokenRequest(envelope) : null
  return broken ?? matchWording(TEMPLATE_WORDING, message)
}

/** A text past a limit is a long prompt only where it is the content of a message: ids and names have limits too. */
function longText({ codes, param, message }: ErrorEnvelope): Verdict | null {
  if (!codes.includes('string_above_max_length')) return null
  const isContent = /\b(?:content|input|prompt|instructions|text)\b/i.test(param ?? message)
  return verdict(isContent ? 'context_length' : 'bad_request')
}

/** A cap on the answer's length may quote the context window without being about the prompt. */
function maximumRefusal(words: string): Verdict | null {
  const capped =
    /max_(?:completion_)?tokens[`'"]?.{0,40}(?:must be (?:less than|at least)|supports at most|valid range)|maximum tokens you requested|max_tokens: \d+ > \d+/i.test(
      words,
    )
  return capped ? verdict('unsupported_param', { scope: 'model' }) : null
}

function capabilityRefusal(words: string, envelope: ErrorEnvelope, status: number): Verdict | null {
  if (refusesStream(words)) return verdict('unsupported_param', { scope: 'model' })
  const lacking = matchWording(TOOL_WORDING, words) ?? matchWording(MODALITY_WORDING, words)
  if (lacking || status >= 500) return lacking
  const coded = words === envelope.message && COMMON_FIELD_CODES.some(code => envelope.codes.includes(code))
  if (!coded && !refusesField(words)) return null
  return verdict('unsupported_param', { scope: mentionsModel(words) ? 'model' : 'provider' })
}

function brokenRequest(envelope: ErrorEnvelope): Verdict | null {
  return (
    matchWording(BROKEN_REQUEST_WORDING, envelope.message) ?? matchWording(TASTE_WORDING, envelope.message)
  )
}

/** The key, the permission, the path and the model. A 402, 403 or 429 never proves a model gone. */
function judgeTarget(envelope: ErrorEnvelope, status: number): Verdict | null {
  const { message } = envelope
  if (status >= 500 || status === 429 || status === 402) return null
  const key = matchWording(KEY_WORDING, message)
  if (key) return key
  const permission = matchWording(PERMISSION_WORDING, message)
  if (permission) return permission
  if (status === 403) return matchCodeRule(COMMON_TARGET_CODES, envelope, status)
  const passing = status !== 410 && PASSING.test(message)
  const pathless = [404, 405, 410].includes(status)
  const gone =
    (pathless ? matchWording(PATH_WORDING, message) : null) ??
    matchWording(RETIREMENT_WORDING, message) ??
    (pathless ? matchWording(BARE_RETIREMENT_WORDING, message) : null)
  if (gone && !passing) return status === 410 && gone.scope === 'model' ? verdict('model_not_found') : gone
  // "Not available right now" is busy, not gone.
  if (passing) return gone?.kind === 'model_unavailable' ? verdict('overloaded') : null
  return matchCodeRule(COMMON_TARGET_CODES, envelope, status)
}

function judgeCapacity(answer: Answer, status: number, traits: ProviderTraits): Verdict | null {
  const { envelope, headers } = answer
  const words = withoutDenials([envelope.message, envelope.inner].join(' ').trim())
  const fromEdge = envelope.form === 'html' || envelope.form === 'text'
  if (fromEdge) return null
  if (status === 429 || status === 402) {
    const ours = saysOurLimit(words)
    const theirs = matchWording(SHORTAGE_WORDING, words) ?? (ours ? null : theirTrouble(words))
    if (theirs) return theirs
    return status === 402 && !ours ? null : ourLimit(words, envelope, headers, traits)
  }
  const shortage = matchWording(SHORTAGE_WORDING, words) ?? theirTrouble(words)
  if (shortage) return shortage
  const spent =
    status === 403 && (limitWindow(envelope.message) === 'long' || saysComesBack(envelope.message))
  return spent && /\b(?:limit|quota|allowance|credits?)\b/i.test(words) ? verdict('quota_exhausted') : null
}

function theirTrouble(words: string): Verdict | null {
  return matchWording(OVERLOAD_WORDING, words) ?? matchWording(LOADING_WORDING, words)
}

function ourLimit(
  words: string,
  envelope: ErrorEnvelope,
  headers: Readonly<Record<string, string>>,
  traits: ProviderTraits,
): Verdict {
  const spent =
    limitWindow(`${words} ${envelope.evidence}`) === 'long' ||
    isDaySpent(headers, traits.requestsCountDays ?? false)
  const ofModel = limitsOneModel(words) || envelope.codes.includes('model_rate_limit')
  // A limit that names neither model nor account is one of this model until a second model of the key meets it.
  const scope = traits.limitScope ?? (ofModel || !(spent || limitsAccount(words)) ? 'model' : 'key')
  return verdict(spent ? 'quota_exhausted' : 'rate_limit', { scope })
}

function statusOfType(envelope: ErrorEnvelope): number | null {
  for (const code of envelope.codes) {
    const status = STATUS_OF_TYPE.get(code)
    if (status !== undefined) return status
  }
  return null
}

/** The status that an error in a 200 would have had, where its words alone tell what it is about. */
function statusOfWords(message: string, inStream: boolean): number | null {
  if (saysNoMoney(message)) return 402
  if (saysOurLimit(message)) return 429
  // A model that has begun to stream is not missing, whatever it misses.
  return !inStream && matchWording(RETIREMENT_WORDING, message) ? 404 : null
}
