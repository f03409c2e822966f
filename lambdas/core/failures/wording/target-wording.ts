import { verdict } from '../verdict.ts'
import { matchWording, type WordingRule } from './wording.ts'

const AUTH = verdict('auth')
const NO_ACCESS = verdict('permission')
const NOT_FROM_HERE = verdict('permission', { scope: 'provider' })
const MODEL_GONE = verdict('model_not_found')
const MODEL_DOWN = verdict('model_unavailable')
const WRONG_PATH = verdict('model_not_found', { scope: 'endpoint' })
const HOST_GONE = verdict('model_unavailable', { scope: 'endpoint' })

/** The key is refused, though the status is not 401. */
export const KEY_WORDING: readonly WordingRule[] = [
  {
    says: /\bapi[ _-]?key (?:is |was |has been )?(?:not valid|invalid|expired|revoked|disabled|was reported as leaked|not found|has expired)/i,
    gives: AUTH,
  },
  {
    says: /\b(?:invalid|incorrect|expired|revoked|missing|wrong|no|malformed) (?:api[ _-]?(?:key|token)|auth(?:entication|orization)? (?:credentials|token|header)|access token|bearer token)/i,
    gives: AUTH,
  },
  {
    says: /security token.{0,40}(?:expired|invalid)|unregistered callers|\borganization has been (?:restricted|disabled)|account (?:has been |is )?(?:deactivated|disabled|banned|terminated)/i,
    gives: AUTH,
  },
  { says: /无效的令牌|令牌.{0,6}(?:过期|禁用|不可用)|api ?key.{0,6}(?:无效|错误|失效)/i, gives: AUTH },
]

/** The key is good, the place, the plan or the terms are not. */
export const PERMISSION_WORDING: readonly WordingRule[] = [
  // One model of many may be kept from a place.
  {
    says: aboutModel(
      'not (?:available|supported|allowed|offered) (?:in|from) (?:your|this) (?:country|region|location|territory)',
    ),
    gives: NO_ACCESS,
  },
  {
    says: /\b(?:country|region|territory|location)\b.{0,60}\bnot (?:supported|allowed|available)|not (?:available|supported|allowed) (?:in|from) (?:your|unsupported) (?:country|region|location)|unsupported countr/i,
    gives: NOT_FROM_HERE,
  },
  { says: /matching your (?:guardrail|data policy)|no allowed providers/i, gives: NO_ACCESS },
  {
    says: /requires? (?:a |an )?(?:\w+ )?(?:subscription|paid plan|pro plan|paid account)|upgrade (?:your plan |your account )?(?:for|to) (?:get )?access|tier not high enough|not include access/i,
    gives: NO_ACCESS,
  },
  {
    says: /has not agreed to|terms acceptance|accept the (?:terms|licen[cs]e)|use case details|gated (?:repo|model)|authorized list/i,
    gives: NO_ACCESS,
  },
  {
    says: /is not (?:authorized to perform|allowed to (?:use|access) )|blocked at the (?:organization|project) level|无权访问|not (?:yet )?activated the model|under your (?:current )?(?:plan|subscription)/i,
    gives: NO_ACCESS,
  },
]

/** What an editor or a plugin sends of itself: "missing Editor-Version header". */
const OF_A_CLIENT = String.raw`[\x60'"]?(?:\w{1,20}-){0,3}(?:(?:editor|plugin|integration)-(?:plugin-)?(?:version|id|name)|client-(?:name|version)|user-agent)\b[\x60'"]?`
const CLIENT_HEADER = new RegExp(
  String.raw`\b(?:missing|no|invalid|unknown|unsupported|requires?|required) (?:a |the |an )?(?:valid |required |http |request )*(?:headers?:? )?${OF_A_CLIENT}|${OF_A_CLIENT} (?:headers? )?(?:is |was )?(?:missing|required|invalid|not (?:allowed|recognized|supported|permitted))`,
  'i',
)

/** A door that only some clients pass, whatever the status says. */
export const CLIENT_GATE_WORDING: readonly WordingRule[] = [
  {
    says: /\bonly (?:allows?|available (?:for|to)|accepts?) (?!text|image|audio|json|stream)[\w .-]{1,40} (?:clients?|agents?)\b/i,
    gives: NO_ACCESS,
  },
  {
    says: /\b(?:credentials?|(?:api[ -]?|access |auth |oauth )?(?:keys?|tokens?)|subscription|plan) (?:is|are|was|can|may|must) (?:only |exclusively |restricted )(?:be )?(?:authorized|valid|allowed|permitted|intended|licensed|meant|usable|used|accepted|available)? ?(?:to )?(?:be used |for use |use )?(?:for|with|in|by|from|within|through|to) (?!(?:\w+ ){0,3}models?\b)/i,
    gives: verdict('permission', { scope: 'key' }),
  },
  { says: CLIENT_HEADER, gives: NO_ACCESS },
]

/** The key or its account may not, whatever the model. */
const OF_THE_KEY =
  /\b(?:your|this|the) (?:api[ -]?)?key (?:does not|doesn't|is not|lacks)|\bmissing scopes?\b|insufficient permissions|correct credentials|\b(?:in|for) (?:this|your) (?:account|organi[sz]ation|project|key)\b|\b(?:account|organi[sz]ation|project|user) (?:has been |is |was )?(?:disabled|suspended|banned|blocked|restricted)/i

/** Whether a refused permission is that of the key, by its words. */
export const refusesKey = (text: string): boolean => OF_THE_KEY.test(text)

/** The path is wrong: this base URL is not a chat completions API. */
export const PATH_WORDING: readonly WordingRule[] = [
  {
    says: /^(?:404 |error: )?(?:(?:page|resource|route|path|url|endpoint|file) )?not found[.!]?$|^(?:path|route|url) not found\b|^404(?: page)? not found|^invalid url\b|unknown (?:request )?(?:url|endpoint|route|path)|unexpected endpoint or method/i,
    gives: WRONG_PATH,
  },
  {
    says: /^cannot (?:post|get) \/|no route matched|route .{0,80}not found|the requested url .{0,80}was not found|method not allowed/i,
    gives: WRONG_PATH,
  },
  { says: /https?:\/\/\S{1,200} is no longer (?:supported|available)/i, gives: HOST_GONE },
]

/** The model is gone, or is not to be had at this target. The model must be what the sentence is about. */
export const RETIREMENT_WORDING: readonly WordingRule[] = [
  { says: /\bno models? (?:is |are )?(?:currently )?loaded/i, gives: HOST_GONE },
  {
    says: /DEGRADED function|on-demand throughput isn't supported|non-serverless model|endpoint for .{1,160} is not running|\bno endpoints found for\b|not supported by (?:any|the|this)?\b ?provider/i,
    gives: MODEL_DOWN,
  },
  {
    says: /not a chat model|not supported in the v1\/chat|only supported in v1\/|does not work with the specified model|\bis in deprecation|marked .{0,30}as legacy/i,
    gives: MODEL_DOWN,
  },
  { says: /not supported for generateContent|not found for API version/i, gives: MODEL_GONE },
  {
    says: aboutModel(
      String.raw`decommissioned|end of (?:its )?life|no longer (?:available|supported|served|offered|accessible)|was removed|(?:has|have) been (?:removed|retired|deprecated|discontinued|sunset|shut ?down)|is (?:deprecated|retired)`,
    ),
    gives: MODEL_GONE,
  },
  { says: aboutModel("(?:does not|doesn't|not) exist|not (?:be )?found"), gives: MODEL_GONE },
  {
    says: /\b(?:no such|unknown|invalid|unrecognized) model\b(?! (?:output|response|parameter|setting))|\bno model matches\b|not a valid model/i,
    gives: MODEL_GONE,
  },
  {
    says: /\bnot found\b.{0,20}\bmodel\b|\bmodel (?:identifier|name|id)\b.{0,30}\b(?:is )?invalid|try pulling it first|could not resolve the foundation model/i,
    gives: MODEL_GONE,
  },
  { says: /模型不存在|模型.{0,20}(?:已下线|未找到|已弃用)/, gives: MODEL_GONE },
  {
    says: aboutModel(
      '(?:is|are|currently) (?:not (?:currently )?(?:available|supported|served|deployed|running|accessible|enabled)|unavailable)',
    ),
    gives: MODEL_DOWN,
  },
  // The whole message, because without a verb a longer sentence may be about something else.
  {
    says: /^(?:error: )?(?:the |this |requested |selected )*model(?: \S{1,160})? (?:currently )?(?:not available|unavailable)[.!]?$/i,
    gives: MODEL_DOWN,
  },
  {
    says: /\bunable to access (?:[\w-]+ )?model\b|\bunavailable model\b|^\S.{0,80} is not available\. please use\b|模型.{0,20}(?:不可用|暂不支持)/i,
    gives: MODEL_DOWN,
  },
]

/** The same without the word model: on a 404 or 410 what else could be meant. */
export const BARE_RETIREMENT_WORDING: readonly WordingRule[] = [
  {
    says: /\bdecommissioned\b|end of (?:its )?life|no longer (?:available|supported|served)|(?:has|have) been (?:removed|retired|deprecated|discontinued|sunset)/i,
    gives: MODEL_GONE,
  },
]

/** A sentence whose subject is a model ("for this model" is not one), then a predicate. */
function aboutModel(predicate: string): RegExp {
  const subject = String.raw`(?<!\b(?:for|with|in|by|on|of|using) (?:this |the |that |your )?)\b(?:model|deployment)\b`
  return new RegExp(String.raw`${subject}(?:(?!\. ).){0,160}\b(?:${predicate})\b`, 'i')
}

/** The key is known, and others of its models are open to it. */
const KEPT_FROM_A_MODEL =
  /\bnot (?:allowed|permitted|authorized|entitled) to (?:access|use|call) (?:the |this |that |requested )*model\b(?!s)/i

/** Whether a text refuses one model, and not who asks. */
export const refusesModel = (text: string): boolean =>
  KEPT_FROM_A_MODEL.test(text) ||
  (matchWording(RETIREMENT_WORDING, text) !== null &&
    !/\b(?:api[ _-]?)?keys?\b|\btokens?\b|credential|\b(?:un)?auth|\baccounts?\b|\bsign|\blog ?in|令牌|密钥/i.test(
      text,
    ))

/** Soon over, whatever the status: words that forbid to call a model gone. */
export const PASSING =
  /\btemporar(?:y|ily)\b|try again (?:later|soon|shortly|in)|retry (?:later|shortly)|at the moment|稍后/i
