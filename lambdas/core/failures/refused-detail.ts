import type { ErrorEnvelope } from './envelope/error-envelope.ts'
import type { FailureKind } from './kinds.ts'
import { refusesEveryStream } from './wording/stream-wording.ts'

/** What an upstream named when it refused a request; null = it named none. */
export type RefusedDetail = {
  /** A field that it does not know or take at all, whatever its value. */
  readonly param: string | null
  /** The size of the model's window, in tokens. */
  readonly contextWindow: number | null
  /** The longest answer that may be asked for, in tokens. */
  readonly outputTokens: number | null
}

const NAME =
  /[`'"[]?(?:parameter )?(?:body\.)?([a-z][a-z0-9]*(?:_[a-z0-9]+)*)(?![\w.[]|[`'"\]]? at ')[`'"\]]?/.source
const QUOTED = /[`'"](?:body\.)?([a-z][a-z0-9_]{0,63})[`'"]/.source
const FIELD = /(?:parameters?|arguments?|fields?|names?|property|properties|keys?|options?|inputs?)/.source
const REFUSED =
  /(?:is|are) (?:currently )?(?:un(?:supported|known|recogni[sz]ed)|not (?:currently )?(?:supported|permitted|allowed|enabled|available|recogni[sz]ed)|forbidden)/
    .source
/** Names that need no quotes to be read as a field. */
const KNOWN =
  /[`'"]?\b(tool_choice|response_format|json_schema|parallel_tool_calls|top_logprobs|logprobs|logit_bias|seed|stop|top_[pk]|temperature|(?:presence|frequency)_penalty|stream_options|reasoning_effort|service_tier|prompt_cache_key|safety_identifier|metadata|store|max_(?:completion_)?tokens)\b[`'"]?(?![.[])/
    .source

/** A field is refused as such; the first group is its name. */
const PARAM_PATTERNS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:unknown|unrecogni[sz]ed|unsupported|unexpected|extraneous) (?:request |keyword )?${FIELD}(?: (?:supplied|name))?:? ${NAME}`,
    'i',
  ),
  new RegExp(`\\b${FIELD}:? ${QUOTED} ${REFUSED}`, 'i'),
  new RegExp(`(?:^|[\\s(:])${QUOTED}(?: ${FIELD})? ${REFUSED}`, 'i'),
  new RegExp(`${KNOWN}(?: ${FIELD})? ${REFUSED}`, 'i'),
  new RegExp(`(?:not|n't) support (?:the )?(?:use of )?(?:${FIELD}:? )?\\[?${QUOTED}`, 'i'),
  new RegExp(`(?:not|n't) support (?:the )?(?:use of )?(?:${FIELD}:? )?${KNOWN}`, 'i'),
  new RegExp(`(?:^|[\\s(:])${NAME}:? extra (?:inputs|fields) (?:are )?not permitted`, 'i'),
  new RegExp(`${QUOTED} (?:was|were) unexpected`, 'i'),
  /\bargument not supported on this model: ([a-z]\w{0,63})/i,
]
const PARAM_CODES: ReadonlySet<string> = new Set([
  'unknown_parameter',
  'unsupported_parameter',
  'unsupported_param',
  'extra_forbidden',
])
const JSON_MODE =
  /\bjson mode (?:is|are) not\b|(?:not|n't) support (?:the )?json mode|\bresponse_format type is unavailable/i
const SCHEMA =
  /\b(?:structured outputs? (?:is|are) not|(?:not|n't) support (?:the )?structured output)|\bresponse[ _]format [`'"]?json_schema\b(?![`'"]?: )/i
/** The value, or the company it keeps, was refused: another request with the field may be welcome. */
const ABOUT_THE_VALUE =
  /\bvalues?\b|\bonly the default\b|\b(?:must|should) be\b|\bvalid range\b|\btoo (?:large|high|long|many)\b|=\s?[`'"\d]/i
const CONDITIONAL =
  /\b(?:both|together with|combin\w+|conjunction|same time|simultaneous\w*|incompatible|when|while|unless|if(?! this is unexpected))\b/i
const IN_COMPANY =
  /\bwith (?:more than|(?:json|tools?|functions?|stream\w*|response_format|structured|reasoning|thinking|images?|logprobs)\b)/i

const SIZE = /([\d,]{3,12})(?![\d,.]*[km]\b)/.source
const WINDOW_PATTERNS: readonly RegExp[] = [
  `maximum (?:context|prompt|model|sequence|input) (?:length|size|window)(?: (?:of|for) (?:this|the) model)?(?: is| of|:)? \\(?${SIZE}`,
  `model with ${SIZE} maximum context length`,
  `tokens > ${SIZE} maximum`,
  `maximum (?:allowed )?number of (?:input )?tokens(?: allowed)?(?: is| of|:)? \\(?${SIZE}`,
  `available context size (?:is |of )?\\(?${SIZE}`,
  `context (?:length|window|size|limit) (?:is|of)(?: only)? ${SIZE}`,
  `context (?:window|length|size)(?: limit)? \\(${SIZE}`,
  `\\bn_ctx["'\`]?(?: is)? ?[:=(]? ?${SIZE}`,
  `input length should be \\[\\d+, ?${SIZE}\\]`,
  `tokens (?:in the prompt )?cannot exceed ${SIZE}`,
  `max_new_tokens\`? must be <= ${SIZE}`,
  `model token limit: ${SIZE}`,
  `current length is [\\d,]+ while limit is ${SIZE}`,
  `max_model_len(?: of| is|=|:)? ?${SIZE}`,
].map(pattern => new RegExp(pattern, 'i'))
const MOST_PATTERNS: readonly RegExp[] = [
  `supports at most ${SIZE} (?:completion|output) tokens`,
  `max_(?:completion_|output_)?tokens['"\`]? (?:must|should) be (?:less than or equal to|at most|<=) ['"\`]?${SIZE}`,
  `range of max_(?:completion_|output_)?tokens (?:is|should be) \\[\\d+, ?${SIZE}\\]`,
  `max_(?:completion_|output_)?tokens: [\\d,]+ > ${SIZE}`,
  `maximum (?:allowed )?(?:number of )?(?:output|completion) tokens(?: allowed)?(?: for [\\w./:-]{1,80})?(?: is| of|:) ['"\`]?${SIZE}`,
].map(pattern => new RegExp(pattern, 'i'))
/** A cap of a minute or a day says nothing about the window. */
const CAPPED_BY_TIME = /\bper[ -](?:minute|hour|day)\b|\bTP[MD]\b|\brate.?limit|\bquota\b/i
const SMALLEST_WINDOW = 256
const LARGEST_WINDOW = 100_000_000

const NOTHING: RefusedDetail = { param: null, contextWindow: null, outputTokens: null }

const LONGEST_NAME = 64
const isName = (text: string): boolean => text.length <= LONGEST_NAME && /^[a-z]\w*$/i.test(text)

/** Some hosts name a field as their own code does. */
const snakeCase = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()

function refusedParam(words: string, { codes, param }: ErrorEnvelope): string | null {
  if (refusesEveryStream(words)) return 'stream'
  if (CONDITIONAL.test(words)) return null
  if (IN_COMPANY.test(words)) return null
  const coded = param !== null && codes.some(code => PARAM_CODES.has(code))
  if (coded && isName(param)) return param
  if (ABOUT_THE_VALUE.test(words)) return null
  if (JSON_MODE.test(words)) return 'response_format'
  if (SCHEMA.test(words)) return 'json_schema'
  for (const pattern of PARAM_PATTERNS) {
    const name = pattern.exec(words)?.[1]
    if (name !== undefined && isName(name)) return snakeCase(name).slice(0, LONGEST_NAME)
  }
  return null
}

function statedSize(patterns: readonly RegExp[], words: string): number | null {
  if (CAPPED_BY_TIME.test(words)) return null
  for (const pattern of patterns) {
    const digits = pattern.exec(words)?.[1]?.replaceAll(',', '')
    const size = Number(digits)
    if (size >= SMALLEST_WINDOW && size <= LARGEST_WINDOW) return size
  }
  return null
}

/**
 * Reads what a refusal is about out of the upstream's words. Anchored, like the classifier's own patterns: a field
 * whose value was wrong, or that others beside it forbid, is not a field that the endpoint lacks.
 */
export function refusedDetail(
  kind: FailureKind,
  envelope: ErrorEnvelope,
  status: number | null,
): RefusedDetail {
  const words = `${envelope.message} ${envelope.inner}`.trim()
  if (kind === 'unsupported_param' || kind === 'unsupported_tools') {
    return {
      ...NOTHING,
      param: refusedParam(words, envelope),
      outputTokens: statedSize(MOST_PATTERNS, words),
    }
  }
  if (kind !== 'context_length' || status === 429 || status === 413) return NOTHING
  return { ...NOTHING, contextWindow: statedSize(WINDOW_PATTERNS, `${words} ${envelope.evidence}`) }
}

/** Whether something is refused only in some company, or under some condition. */
export const isConditional = (words: string): boolean => CONDITIONAL.test(words) || IN_COMPANY.test(words)
