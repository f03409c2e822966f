import { expect, test } from 'vitest'
import type { Answer } from '../support/ask.ts'
import type { Reply } from './ask-once.ts'
import { judge, type Verdict } from './judge.ts'
import type { Observed } from './manners.ts'
import type { Call } from './raw-server.ts'
import { SCENARIOS } from './scenarios.ts'
import { PROMPT_TOKENS, TOKENS, wholeAnswer } from './voices/words.ts'

const START = 1_790_000_000_000

const callAt = (seconds: number, leftAfter: number | null = null): Call => ({
  api: 'chat',
  model: 'm',
  body: {},
  at: START + seconds * 1_000,
  leftAt: leftAfter === null ? null : START + (seconds + leftAfter) * 1_000,
})

function replyOf(answer: Partial<Answer> | null, rest: Partial<Reply> = {}): Reply {
  const usual = { status: 200, headers: new Headers(), text: '', events: ['x'], content: '', error: null }
  return {
    end: 'whole',
    answer: answer && { ...usual, done: false, ...answer },
    model: null,
    totalTokens: null,
    finished: false,
    unreadable: false,
    startedAt: START,
    tookMs: 1_000,
    ...rest,
  }
}

const whole = (model: string, rest: Partial<Reply> = {}): Reply =>
  replyOf({ content: wholeAnswer(model), done: true }, { finished: true, ...rest })

const errorOf = (status: number, message: string, content = ''): Reply =>
  replyOf({
    status,
    content,
    error: { message, type: 'upstream_error', code: 'code', param: null, attempts: [] },
  })

const half = wholeAnswer('s08').slice(0, 100)
const fallback = whole('s00-fallback')
const reported = whole('s00-fallback', { model: 's00-fallback', totalTokens: PROMPT_TOKENS + TOKENS })

type Row = [id: string, what: string, verdict: Verdict, seen: Partial<Observed>]

const ROWS: readonly Row[] = [
  ['s04', 'a whole answer with good manners', 'pass', { replies: [fallback], primary: [callAt(0)] }],
  ['s04', 'an answer that never ended', 'fail', { replies: [replyOf(null, { end: 'hung' })] }],
  ['s04', 'a connection that just broke', 'partial', { replies: [replyOf(null, { end: 'broken' })] }],
  ['s10', 'an event that is passed on broken', 'partial', { replies: [whole('s10', { unreadable: true })] }],
  ['s04', 'a clean error', 'safe', { replies: [errorOf(503, 'Over.')], primary: [callAt(0)] }],
  [
    's04',
    'five calls at once',
    'partial',
    { replies: [fallback], primary: [0, 0, 1, 1, 2].map(n => callAt(n)) },
  ],
  ['s08', 'a fragment with a mark of its end', 'fail', { replies: [replyOf({ content: half, done: true })] }],
  ['s08', 'a fragment that ends without a word', 'fail', { replies: [replyOf({ content: half })] }],
  [
    's08',
    'a fragment with an error event',
    'safe',
    { replies: [errorOf(200, 'Cut.', half)], primary: [callAt(0)] },
  ],
  ['s11', 'a whole answer without its mark', 'partial', { replies: [whole('s11', { finished: false })] }],
  [
    's01',
    'a call before Retry-After has passed',
    'partial',
    { replies: [whole('s01')], primary: [callAt(0), callAt(1)] },
  ],
  ['s01', 'a call after it', 'pass', { replies: [whole('s01')], primary: [callAt(0), callAt(2.1)] }],
  [
    's03',
    'no second try after a lone 500',
    'partial',
    { replies: [fallback], primary: [callAt(0)], fallback: [callAt(0)] },
  ],
  [
    's06',
    'a silent route asked twice',
    'partial',
    { replies: [fallback], primary: [callAt(0, 9), callAt(9, 9)] },
  ],
  ['s06', 'a silent route held for long', 'partial', { replies: [fallback], primary: [callAt(0, 20)] }],
  ['s06', 'a silent route left in time', 'pass', { replies: [fallback], primary: [callAt(0, 10)] }],
  [
    's13',
    'a refusal passed on',
    'pass',
    {
      replies: [errorOf(400, 'It said: Your request was rejected by our safety system.')],
      primary: [callAt(0)],
    },
  ],
  [
    's13',
    'a refusal without its reason',
    'partial',
    { replies: [errorOf(400, 'No.')], primary: [callAt(0)] },
  ],
  [
    's13',
    'a refused prompt that somebody else answered',
    'partial',
    { replies: [fallback], primary: [callAt(0)], fallback: [callAt(1)] },
  ],
  [
    's14',
    'a prefill that masks the failure',
    'partial',
    {
      replies: [errorOf(200, 'This model does not support assistant message prefill.', half)],
      primary: [callAt(0)],
    },
  ],
  ['s15', 'no way back', 'partial', { replies: [fallback], primary: [callAt(0)] }],
  ['s15', 'a late way back', 'partial', { replies: [fallback], primary: [callAt(0), callAt(77)] }],
  ['s15', 'a way back in time', 'pass', { replies: [fallback], primary: [callAt(0), callAt(75)] }],
  ['s16', 'the answerer unreported', 'partial', { replies: [fallback], primary: [callAt(0)] }],
  ['s16', 'the answerer reported', 'pass', { replies: [reported], primary: [callAt(0)] }],
]

test.each(ROWS)('of %s, %s counts as %s', (id, _, verdict, seen) => {
  const scenario = SCENARIOS.find(row => row.id === id)
  const observed = { replies: [], primary: [], fallback: [], fallbackModel: 's00-fallback', pace: 1, ...seen }
  expect(scenario && judge(scenario, observed).verdict).toBe(verdict)
})
