import { endsByTheClock } from './capacity-wording.ts'

const NO_MONEY: readonly RegExp[] = [
  /credit balance is too low|\binsufficient (?:account |user |wallet |paid |token )?(?:balance|credits?|funds|quota)\b/i,
  /\b(?:balance|credits?|funds) (?:is|are|has been|have been) (?:insufficient|too low|not enough|exhausted|depleted|used up|expired)/i,
  /\baccount balance is \$?-?0|\b(?:out of|run out of|no remaining|not enough|no usable) (?:\w+ )?(?:credits?|funds)\b|n't have (?:any|enough) (?:\w+ )?(?:credits?|funds|balance)/i,
  /\b(?:credits?|trial|subscription|plan|package) (?:has |have )?(?:expired|ended|lapsed)\b|\bcredit limit exceeded/i,
  /\b(?:spend(?:ing)?|budget|usage|billing)(?: hard)? (?:limit|cap)s? (?:has been |have been |is |was )?(?:reached|exceeded|crossed|hit)\b/i,
  /(?:reached|crossed|exceeded|hit) (?:its|your|the|their|your specified) (?:\w+ )?(?:spend(?:ing)?|api usage|budget|billing) (?:limit|cap)s?/i,
  /\bbudget (?:has been |is )?(?:exceeded|exhausted)|\bkey limit exceeded|budget exhausted/i,
  /\bno payment method|payment method (?:is )?required|\bpayment required\b|requires? (?:more|available) credits|valid payment instrument/i,
  /\bsuspended\b.{0,80}(?:balance|spending|payment|billing|invoice)|\bplease (?:recharge|top up)|prepayment credits/i,
  /\bused (?:all|up) (?:of )?(?:your|the|all) .{0,40}\bcredits\b/i,
  /\bexceeded your current quota|purchase (?:more |additional )?credits|\boverdue\b|in good standing|account is not active/i,
  /\bfree (?:usage|trial|quota|credits?|allowance) (?:limit )?(?:is |was |has been )?(?:exceeded|exhausted|used up|over|ended)\b.{0,60}\b(?:add|buy|purchase) (?:\w+ )?(?:credits?|funds|balance)/i,
  /余额不足|额度不足|额度(?:已)?(?:用尽|耗尽)|欠费|请充值|无可用资源包/,
]

const PERIODIC =
  /refill(?:s|ed)? (?:hourly|daily|weekly|monthly|every)|\bregain access\b|(?:automatic )?quota refresh|\brefreshed in the next|\bresets? (?:at|on|in|hourly|daily|weekly|monthly)|will reset\b|\b(?:come back|try again|available(?: again)?|renews?) (?:tomorrow|next (?:hour|day|week|month))\b|(?:daily|weekly|monthly|hourly|session) (?:free |included |usage )?(?:credits?|quota|limit|allocation|allowance)/i

/** Whether a text says that nobody pays: no balance, no credits, a spend limit. Monthly spend limits included. */
export function saysNoMoney(text: string): boolean {
  return NO_MONEY.some(pattern => pattern.test(text))
}

/** Whether a text says that what is spent comes back by itself. */
export function saysComesBack(text: string): boolean {
  return PERIODIC.test(text) || endsByTheClock(text)
}

const AFFORDABLE = /can only afford (\d{1,12})/i

/** The tokens that a balance still covers ("can only afford N"), or null where nothing is said of it. */
export function affordableTokens(text: string): number | null {
  const found = AFFORDABLE.exec(text)?.[1]
  return found === undefined ? null : Number(found)
}
