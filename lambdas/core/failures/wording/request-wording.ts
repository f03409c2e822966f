import { BROKEN_REQUEST, TURN_ORDER, verdict } from '../verdict.ts'
import type { WordingRule } from './wording.ts'

const CONTENT_FILTER = verdict('content_filter')
const CONTEXT = verdict('context_length')
const TOO_LARGE = verdict('payload_too_large')
const NO_TOOLS = verdict('unsupported_tools')
const NO_MODALITY = verdict('unsupported_modality')

/** The prompt or the answer was refused for what it says. */
export const FILTER_WORDING: readonly WordingRule[] = [
  // Our own operator's guardrail: routing round it would defeat its purpose.
  {
    says: /\b(?:content|prompt|request|input|output|response)\b.{0,20}\bblocked by (?:the |your |a )?guardrail/i,
    gives: verdict('content_filter', { tryNext: false }),
  },
  {
    says: /content management policy|content filtering policy|\bcontent_filter\b|ContentPolicyViolation|ResponsibleAIPolicyViolation/i,
    gives: CONTENT_FILTER,
  },
  {
    says: /requires moderation|\b(?:input|prompt|request|content|message) (?:was|were|is|has been) flagged (?:as|by|for|due|under)|your input was flagged/i,
    gives: CONTENT_FILTER,
  },
  {
    says: /considered high risk|Content Exists Risk|inappropriate content|unsafe or sensitive content|potentially harmful/i,
    gives: CONTENT_FILTER,
  },
  {
    says: /violat\w{0,5} (?:our |the |your |\w+'s )?(?:\w+ )?(?:usage|content|safety|acceptable use) (?:polic|guideline)/i,
    gives: CONTENT_FILTER,
  },
  {
    says: /(?:blocked|rejected|filtered|refused) (?:by|due to|because of|for|as a result of) (?:the |our |its |\w+'s )?(?:\w+ )?(?:safety|moderation|content (?:polic|filter))/i,
    gives: CONTENT_FILTER,
  },
  {
    says: /\bsensitive (?:words?|terms?|phrases?|content) (?:(?:was|were|is|are|has been|have been) )?(?:detected|found|blocked)\b|\b(?:contain\w{0,3}|includ\w{1,3}|detected|triggered) (?:[\w-]+ )?sensitive (?:words?|terms?|phrases?|content)\b/i,
    gives: CONTENT_FILTER,
  },
  {
    says: /PROHIBITED_CONTENT|SAFETY_CHECK|不安全或敏感|敏感(?:内容|词)|内容安全|不合规|违规内容|new_sensitive/,
    gives: CONTENT_FILTER,
  },
]

/** The prompt is longer than the model's window. */
export const CONTEXT_WORDING: readonly WordingRule[] = [
  {
    says: /maximum (?:context|prompt|model|sequence|input) (?:length|size|window)|max(?:imum)? allowed input length/i,
    gives: CONTEXT,
  },
  {
    says: /(?:exceed\w{0,3}|longer than|larger than|greater than|beyond|overflows?)\b.{0,60}\bcontext[ _](?:length|window|size|limit)/i,
    gives: CONTEXT,
  },
  {
    says: /\bcontext[ _](?:length|window|size|limit)\b.{0,30}\b(?:exceeded|overflow|is too (?:small|short)|is not enough)/i,
    gives: CONTEXT,
  },
  {
    says: /(?:loaded with|with a?) context length of only|larger context length|\bn_ctx\b|\bn_keep\b/i,
    gives: CONTEXT,
  },
  {
    says: /(?:prompt|input|messages?|conversation|request)(?: \([^)]{1,40}\))? (?:is|are|was|has become) too long|Input is too long/i,
    gives: CONTEXT,
  },
  {
    says: /range of input length should be|\bexceeds? (?:the )?max(?:imum)? (?:input |prompt |token )?(?:length|tokens)\b/i,
    gives: CONTEXT,
  },
  {
    says: /\b(?:prompt|input) token (?:count|length)(?: of)?:? [\d,]+ (?:is over|exceeds|is above|is greater than)\b|\b(?:inputs?|prompts?)[`'"]? must (?:have|be|contain) (?:less|fewer|shorter|at most|no more)(?: than)? [\d,]+ tokens\b/i,
    gives: CONTEXT,
  },
  {
    says: /exceeds? the maximum (?:allowed )?number of (?:input )?tokens|more than max tokens allowed|exceeded model token limit|exceeds? (?:the |this )?model(?:'s)? (?:token )?limit \(|\bcontext (?:window|length) is [\d,]+ tokens/i,
    gives: CONTEXT,
  },
  {
    says: /(?:tokens|prompt) .{0,40}cannot exceed \d|`?inputs`? tokens \+ `?max_new_tokens`?|length limit exceeded|(?:size|token) limit exceeded by \d+ tokens/i,
    gives: CONTEXT,
  },
  {
    says: /reduce the (?:length|size) of (?:the |your |either )?(?:messages|prompt|input|one)|(?:shorten|truncate) (?:the|your) (?:prompt|input|messages)/i,
    gives: CONTEXT,
  },
  {
    says: /prompt \(length \d+\)|max_(?:model|seq)_len\b|maximum (?:model|sequence) length|上下文(?:长度|窗口).{0,20}(?:超|限)|(?:超过|超出).{0,12}(?:最大)?(?:长度|上下文|token)|输入(?:内容)?过长/i,
    gives: CONTEXT,
  },
]

/** The request has too many bytes, or more tokens than a whole minute's budget. */
export const SIZE_WORDING: readonly WordingRule[] = [
  {
    says: /^(?:\S{1,40} )?request (?:body |entity |payload )?(?:is )?too large|payload (?:is )?too large|request entity too large|request_too_large/i,
    gives: TOO_LARGE,
  },
  {
    says: /exceeds? the maximum (?:allowed )?(?:number of bytes|size)|(?:body|image|file|media).{0,20} exceeds \d.{0,12}(?:mb|bytes)|(?:image|media) (?:is )?too large/i,
    gives: TOO_LARGE,
  },
]

/** Tools, as such. A refused `tool_choice` is a refused field, not this. */
export const TOOL_WORDING: readonly WordingRule[] = [
  {
    says: /(?:not|n't|cannot) support (?:the use of )?[`'"]?(?:tools?|functions?)(?:[ -](?:use|usage|calls?|calling))?\b(?!_)/i,
    gives: NO_TOOLS,
  },
  {
    says: /that support tool use|[`'"]?(?:tools?|functions?)[ -]?(?:use|usage|calls?|calling)?[`'"]? (?:is|are) not (?:supported|enabled|available|allowed)\b/i,
    gives: NO_TOOLS,
  },
  {
    says: /"?auto"? tool choice requires|tools? param(?:eter)? requires|--enable-auto-tool-choice|not support(?:ed)?.{0,20}function.?calling/i,
    gives: NO_TOOLS,
  },
  { says: /不支持(?:使用)?(?:工具|函数|function|tool)/i, gives: NO_TOOLS },
]

/** Images, audio, files. */
export const MODALITY_WORDING: readonly WordingRule[] = [
  {
    says: /(?:not|n't|cannot) support (?:\w+ )?(?:image|vision|audio|video|multi-?modal|pdf|file)s?\b/i,
    gives: NO_MODALITY,
  },
  {
    says: /that support (?:image|audio|video|file) input|\b(?:image|audio|video|vision|file)s?(?:_url)?(?: inputs?| modality| input modality)? (?:is|are) not (?:supported|enabled|available|allowed)/i,
    gives: NO_MODALITY,
  },
  {
    says: /not a (?:multi-?modal|vision) model|mmproj|missing data required for image|at most 0 (?:image|audio|video)/i,
    gives: NO_MODALITY,
  },
  {
    says: /unknown variant `?(?:image|input_audio|audio|video|file)|(?:image_url|image|audio|input_audio) is only supported by|only (?:accepts?|supports?) text\b/i,
    gives: NO_MODALITY,
  },
  {
    says: /content must be a string|cannot (?:process|handle|accept) (?:images?|audio|videos?|files?)\b|不支持(?:图片|图像|视觉|多模态|音频)/i,
    gives: NO_MODALITY,
  },
]

/**
 * What is broken for whoever reads it: a document that is no JSON, no messages, calls without their results, an image
 * that is none. Whatever else a host refuses is its own taste, and the next host may take it.
 */
export const BROKEN_REQUEST_WORDING: readonly WordingRule[] = [
  {
    says: /(?:could not|failed to|unable to|cannot) parse (?:the )?(?:json|request)\b(?! payload received\. Unknown)|invalid json body|body (?:is|was) not valid json|malformed json/i,
    gives: BROKEN_REQUEST,
  },
  {
    says: /did not have response messages|must be followed by tool messages|must be a response to a prece(?:d|ed)ing message|insufficient tool messages/i,
    gives: BROKEN_REQUEST,
  },
  {
    says: /ids were found without|without `?tool_result`? blocks|unexpected `?tool_use_id`?|number of function calls and responses/i,
    gives: BROKEN_REQUEST,
  },
  {
    says: /missing (?:a )?required (?:parameter|field|property):? [`'"]?messages\b|\bmessages[`'"]?:? field required|missing field `?messages\b|at least one message|[`'"]?messages?[`'"]? (?:must not|cannot|can't) be empty|[`'"]messages[`'"] is a required property/i,
    gives: BROKEN_REQUEST,
  },
  {
    says: /(?:could not|cannot|unable to|failed to) (?:process|decode|read|open|identify) (?:the |your |input )?image\b|(?:invalid|corrupt(?:ed)?|malformed|truncated) (?:base64[ -])?image(?: data)?\b|image (?:data )?(?:is|was) (?:corrupt|invalid|malformed|truncated)|image file is truncated/i,
    gives: BROKEN_REQUEST,
  },
]

/** Refused by this host for its own taste in histories: the next one takes it. */
export const TASTE_WORDING: readonly WordingRule[] = [
  {
    says: /\b(?:unexpected role|expected last role|roles must alternate|(?:first|last) message must (?:use|have|be)|function (?:call|response) turn)/i,
    gives: TURN_ORDER,
  },
  {
    says: /invalid (?:json )?schema\b|\bschema (?:is |was )?(?:invalid|not valid)/i,
    gives: verdict('bad_request'),
  },
]

/** The host's own template refuses the history, which says nothing of the host: another one has another template. */
export const TEMPLATE_WORDING: readonly WordingRule[] = [
  {
    says: /\bjinja\d? (?:template )?(?:exception|error)|\btemplate error:|\b(?:error|exception|failure) (?:while |when |in )?(?:rendering|applying|in) (?:the )?(?:prompt|chat|jinja)(?: with jinja)? template|\b(?:failed|unable) to (?:apply|render) (?:the )?(?:prompt|chat|jinja) template|\bconversation roles must alternate/i,
    gives: verdict('bad_request'),
  },
]
