import type { Reply } from './ask-once.ts'
import { backAfterMs, type Observed } from './manners.ts'
import type { Scenario } from './scenarios.ts'
import { wholeAnswer } from './voices/words.ts'

export const VERDICTS = ['pass', 'partial', 'safe', 'fail'] as const
export type Verdict = (typeof VERDICTS)[number]
export type Judgement = { verdict: Verdict; reason: string }

const REFUSED = 400
const ERROR = 400

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** What one reply is by itself, before manners count. */
type Seen =
  | { kind: 'whole'; by: 'primary' | 'fallback' }
  | { kind: 'error'; text: string }
  | { kind: 'refusal' }
  | { kind: 'fault'; verdict: 'partial' | 'fail'; text: string }

function seenIn(
  { end, answer, finished, unreadable, tookMs }: Reply,
  { id, goal }: Scenario,
  fallback: string,
): Seen {
  if (end === 'hung') return { kind: 'fault', verdict: 'fail', text: `no end within ${seconds(tookMs)}` }
  if (!answer) return { kind: 'fault', verdict: 'partial', text: 'the connection broke without a word' }
  if (unreadable) return { kind: 'fault', verdict: 'partial', text: 'an event that no client can read' }
  const { status, error, content, done, events } = answer
  if (error) {
    if (done || finished) return { kind: 'fault', verdict: 'fail', text: 'an error dressed as success' }
    if (goal === 'refusal' && status === REFUSED) return { kind: 'refusal' }
    const after = content === '' ? '' : `, after ${content.trim().split(' ').length} tokens`
    return { kind: 'error', text: `${status === 200 ? 'error event' : status} ${error.code}${after}` }
  }
  if (status >= ERROR) return { kind: 'fault', verdict: 'partial', text: `${status} without an error object` }
  const by = content === wholeAnswer(id) ? 'primary' : content === wholeAnswer(fallback) ? 'fallback' : null
  if (by === null) return { kind: 'fault', verdict: 'fail', text: 'a fragment passed off as an answer' }
  const ended = finished && (done || events.length === 0)
  if (!ended) return { kind: 'fault', verdict: 'partial', text: 'a whole answer without its end' }
  return { kind: 'whole', by }
}

const countOf = (count: number): string => `${count} call${count === 1 ? '' : 's'}`

function describeWhole(observed: Observed, seen: readonly Seen[]): string {
  const { replies, primary } = observed
  const answered = (by: 'primary' | 'fallback'): number =>
    seen.filter(reply => reply.kind === 'whole' && reply.by === by).length
  const calls = `${countOf(primary.length)} to the primary`
  if (replies.length > 1) {
    const back = seconds(backAfterMs(observed) ?? 0)
    const shares = `${answered('fallback')} by the fallback, ${answered('primary')} by the primary`
    return `${shares}; ${calls}, back ${back} after its recovery`
  }
  const by = answered('primary') > 0 ? 'the primary' : 'the fallback'
  return `whole, by ${by} after ${seconds(replies[0]?.tookMs ?? 0)}; ${calls}`
}

/**
 * Judges one scenario. Pass: the whole answer and good manners. Safe: a clean, bounded error. Fail: a hang, or a
 * fragment passed off as an answer. Partial: everything between.
 */
export function judge(scenario: Scenario, observed: Observed): Judgement {
  const seen = observed.replies.map(reply => seenIn(reply, scenario, observed.fallbackModel))
  const faults = seen.filter(reply => reply.kind === 'fault')
  const worst = faults.find(({ verdict }) => verdict === 'fail') ?? faults[0]
  if (worst) return { verdict: worst.verdict, reason: worst.text }

  const complaints = scenario.manners.flatMap(manner => manner(observed) ?? [])
  if (complaints.length > 0) return { verdict: 'partial', reason: complaints.join('; ') }
  const error = seen.find(reply => reply.kind === 'error')
  if (error) return { verdict: 'safe', reason: error.text }

  if (scenario.goal === 'refusal') {
    if (seen.every(reply => reply.kind === 'refusal')) {
      return { verdict: 'pass', reason: "400 with the provider's reason; 1 call, none to the fallback" }
    }
    return { verdict: 'partial', reason: 'answered what the provider had refused' }
  }
  return { verdict: 'pass', reason: describeWhole(observed, seen) }
}
