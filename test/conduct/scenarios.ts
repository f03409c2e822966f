import {
  answersFirstTry,
  backSoon,
  givesUpOnSilence,
  notHammered,
  notShoppedAround,
  reportsItsAnswerer,
  retriedOnce,
  retryAfterHonoured,
  sparesTheIll,
  tellsTheRealFailure,
  asksOnce,
  type Manner,
} from './manners.ts'

/** One way to break, and what good conduct is in the face of it. */
export type Scenario = {
  /** The alias, and the primary's model; the fallback's is `<id>-fallback`. */
  id: string
  title: string
  /** Who may give the whole answer; `refusal`: nobody may, the primary's reason is to be passed on. */
  goal: 'anyone' | 'fallback' | 'refusal'
  manners: readonly Manner[]
  load: { requests: number; everyMs: number }
  /** What is promised of a stream; buffered, all are to pass. */
  streamed: 'pass' | 'safe'
}

type Row = [
  id: string,
  title: string,
  goal: Scenario['goal'],
  manners: readonly Manner[],
  rest?: Partial<Scenario>,
]

const SAFE = { streamed: 'safe' } as const

const ROWS: readonly Row[] = [
  ['s01', '429 once, with `Retry-After: 2`', 'anyone', [retryAfterHonoured, notHammered]],
  ['s02', '429 always, no hint', 'fallback', [notHammered]],
  ['s03', '500 once', 'anyone', [retriedOnce]],
  ['s04', '503 always', 'fallback', [notHammered]],
  ['s05', 'connection reset before headers, once', 'anyone', [notHammered]],
  ['s06', 'accepts and never answers', 'fallback', [asksOnce, givesUpOnSilence]],
  ['s07', 'headers at once, first token after 20 s', 'fallback', [asksOnce, givesUpOnSilence]],
  ['s08', 'stream dies after 40 of 60 tokens', 'fallback', [asksOnce], SAFE],
  ['s09', 'silent after 20 tokens, socket open for 30 s', 'fallback', [asksOnce], SAFE],
  ['s10', 'the tenth event is invalid JSON', 'anyone', [answersFirstTry]],
  ['s11', 'complete stream, no `[DONE]`', 'anyone', [answersFirstTry]],
  ['s12', '400 context_length_exceeded', 'fallback', [asksOnce]],
  ['s13', '400 content_policy_violation', 'refusal', [asksOnce, notShoppedAround]],
  ['s14', 'as 8, and the fallback rejects a prefill', 'fallback', [asksOnce, tellsTheRealFailure], SAFE],
  [
    's15',
    '503 for 60 s, then healthy; 20 requests, 4 s apart',
    'anyone',
    [sparesTheIll, backSoon],
    { load: { requests: 20, everyMs: 4_000 } },
  ],
  ['s16', '503 always; the answerer must be reported', 'fallback', [notHammered, reportsItsAnswerer]],
]

/** The sixteen publicly catalogued ways to break. */
export const SCENARIOS: readonly Scenario[] = ROWS.map(([id, title, goal, manners, rest]) => ({
  id,
  title,
  goal,
  manners,
  load: { requests: 1, everyMs: 0 },
  streamed: 'pass',
  ...rest,
}))
