import { verdict } from '../verdict.ts'
import type { WordingRule } from './wording.ts'

const OVERLOADED = verdict('overloaded')
const SITE_CAPACITY = verdict('site_capacity')
const WHOLE_SITE = verdict('site_capacity', { scope: 'provider' })

/** Their shortage that says so, even where it comes as a rate limit. */
export const SHORTAGE_WORDING: readonly WordingRule[] = [
  {
    says: /\bsite-?wide\b|\bfree (?:plan|tier|models?) (?:is |are )?(?:temporarily |currently )(?:disabled|suspended|paused|unavailable|full)/i,
    gives: WHOLE_SITE,
  },
  {
    says: /rate-?limited upstream|upstream.{0,30}rate-?limit|shared (?:\w+ )?(?:pool|capacity)|(?:service|flex) tier capacity/i,
    gives: SITE_CAPACITY,
  },
  {
    says: /\bcapacity (?:is |has been |was )?(?:temporarily |currently )?(?:exceeded|full|exhausted|reached)\b|at (?:maximum|full|max) capacity|\bqueue (?:is |limit )?(?:full|exceeded)\b/i,
    gives: SITE_CAPACITY,
  },
  {
    says: /\b(?:we(?:'re| are)|(?:our|the) \w+(?: \w+)? (?:is|are)) (?:currently |now )?(?:receiving|getting|seeing|experiencing|handling) (?:too many|more|an? (?:\w+ ){0,2}(?:number|volume|amount) of|(?:unusually |very |extremely )?(?:high|heavy|many)) (?:\w+ ){0,3}(?:requests|traffic|volume)\b/i,
    gives: SITE_CAPACITY,
  },
  {
    says: /high traffic|no (?:healthy )?deployments (?:available|for)|more data centers to forward|too many users/i,
    gives: SITE_CAPACITY,
  },
]

/** A limit of ours that is denied: "(not your usage limit)", "unrelated to your account's quota". */
const DENIED =
  /\b(?:not|isn't|aren't|rather than|instead of|unrelated to|independent of|regardless of) (?:(?:due|related|connected|owing) (?:to|with) |(?:because|a result) of |caused by |counted (?:against|towards) |about |from |by |a |an )*(?:your|the (?:user|account|key)'s|an account's) (?:[\w'-]+ ){0,3}(?:limits?|quotas?|usage|balance|credits?|allowance)\b/gi

/** A text without the limits that it says are not the reason. */
export const withoutDenials = (text: string): string => text.replaceAll(DENIED, ' ')

/** Their machines are busy. */
export const OVERLOAD_WORDING: readonly WordingRule[] = [
  {
    says: /\boverload(?:ed|ing)?\b|\bover capacity\b|\bat capacity\b|\bno capacity\b|engine_overloaded/i,
    gives: OVERLOADED,
  },
  {
    says: /\b(?:server|model|system|service|engine)s? (?:is |are )?(?:currently |too |very )*busy\b|\btoo busy\b|high demand|heavy load|high load\b|\b(?:load|capacity|cluster|server|channel|queue|upstream)s?\b[^.]{0,40} (?:is|are|has been) (?:\w+ )?saturated\b/i,
    gives: OVERLOADED,
  },
  {
    says: /\b(?:servers?|systems?|services?|providers?|upstreams?|backends?|we) (?:is |are )?(?:currently |temporarily |now )*(?:limiting|throttling|shedding|restricting|rejecting) (?:\w+ ){0,2}(?:requests|traffic|load|calls)\b/i,
    gives: OVERLOADED,
  },
  {
    says: /temporarily unavailable|unable to process your request|pending requests exceeded|(?:total )?request limit reached \(\d/i,
    gives: OVERLOADED,
  },
  {
    says: /no (?:healthy |available )?(?:upstream|instances?|workers?|channels?|backends?) (?:available|found|ready)?|访问量过大|负载.{0,6}(?:饱和|过高)|繁忙|过载|无可用渠道/i,
    gives: OVERLOADED,
  },
]

/** The model is being made ready. */
export const LOADING_WORDING: readonly WordingRule[] = [
  {
    says: /\b(?:is|currently|still) (?:being )?load(?:ing|ed)\b(?! with)|^loading model|not (?:yet )?ready for inference|\bmodel is cold\b|warming up|cold start|(?:model|container|instance) is starting/i,
    gives: verdict('loading'),
  },
]

/** Our own limit, by its own words. */
const OUR_LIMIT =
  /rate.?limit (?:is |has been |was )?(?:reached|exceeded|hit)|\brate.?limited\b|\blimited to \d|too many (?:requests|tokens|calls|concurrent)|\b(?:requests?|tokens?|calls?|queries) ?(?:per|\/) ?(?:min|sec|hour|day)|\b[RT]P[MSD]\b|concurren(?:t|cy)|usage limit|exceeded.{0,20}rate limit|queue full for ip|速率限制|请求频率|并发/i

const LONG = String.raw`\b[RT]PD\b|per[ _-]?(?:hour|day|week|month)|\/ ?(?:hour|day|week|month)|\b(?:hourly|daily|weekly|monthly|session)\b|By(?:Hour|Day)\b|for (?:the past )?\d{1,3} (?:hour|day)|next cycle|per (?:[4-9]\d{3}|\d{5,6}) ?s|every (?:hour|day|week)|每(?:小时|日|天|周|月)|今日|本月`
const SHORT = String.raw`\b[RT]P[MS]\b|per[ _-]?(?:min|sec)|\/ ?(?:min|sec)|By(?:Minute|Second)\b|per \d{1,3} ?s\b|每分钟|每秒`
const WINDOW = new RegExp(`(?<long>${LONG})|(?<short>${SHORT})`, 'i')
const USAGE_LIMIT =
  /\busage limit (?:reached|exceeded)|(?:reached|hit) your (?:[\w-]+ )?(?:usage|quota|session|plan|message) limit|\bfree usage (?:limit )?(?:is |was |has been )?(?:exceeded|exhausted|reached|used up|over)|quota (?:has been |is )?(?:exceeded|exhausted|used up)|used up your/i

/** By the calendar or the clock on the wall no limit of a minute ends. */
const BY_THE_CLOCK =
  /\bresets?(?: at| on)? (?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d|\d{1,2}(?::\d\d)? ?[ap]\.?m\b)|\btry again (?:at|on|after) (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d/i

/** Whether a text names an hour or a day at which a limit ends. */
export const endsByTheClock = (text: string): boolean => BY_THE_CLOCK.test(text)

/** Whether a text says that we, not they, are over a limit. */
export function saysOurLimit(text: string): boolean {
  return OUR_LIMIT.test(text)
}

/** The window of a limit: the first one that is named rules, since later ones advertise larger plans. */
export function limitWindow(text: string): 'long' | 'short' | null {
  const groups = WINDOW.exec(text)?.groups
  if (groups?.long !== undefined) return 'long'
  if (groups?.short !== undefined) return 'short'
  return USAGE_LIMIT.test(text) || endsByTheClock(text) ? 'long' : null
}

/** Whether a request asks for more than a whole window holds ("Limit 6000, Requested 14368"): no wait helps. */
export function asksBeyondLimit(text: string): boolean {
  const limit = /\blimit:? ([\d,]{1,15})/i.exec(text)?.[1]
  const requested = /\brequested:? ([\d,]{1,15})/i.exec(text)?.[1]
  if (limit === undefined || requested === undefined) return false
  return Number(requested.replaceAll(',', '')) > Number(limit.replaceAll(',', ''))
}

const OF_A_MODEL =
  /rate.?limit (?:reached|exceeded) for (?:model )?[`'"]?(?!requests?\b|tokens?\b|your\b|this\b|the\b|ip\b|user\b|org|account\b|team\b|api\b|key\b)[\w@][\w.:@/-]{2,}|(?:specific to|for|on) (?:this|the) model\b|\band model \S|limit_rpm\/|model: ?[\w./-]{3,}/i

/** Whether a limit is that of one model, by its words. */
export function limitsOneModel(text: string): boolean {
  return OF_A_MODEL.test(text)
}

const OF_AN_ACCOUNT =
  /\b(?:your|this|the) (?:api[ -]?key|key|account|organi[sz]ation|org|team|workspace|project|user|plan|tier|subscription|ip(?: address)?)(?:'s)?\b|\bfor (?:ip|user|team|org(?:ani[sz]ation)?|account|project|api[ -]?key|key|this key)\b|\b(?:per|by) (?:ip|key|account|user)\b|\baccount(?:'s)? (?:rate )?limit|\bAPI calls\b/i

/** Whether a limit is that of a key, an account or an address, by its words. */
export function limitsAccount(text: string): boolean {
  return OF_AN_ACCOUNT.test(text)
}
