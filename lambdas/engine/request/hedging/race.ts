import type { Clock } from '../../../platform/clock.ts'
import type { CandidateAttempt } from '../call-candidate.ts'

/** One call of a race: `client` ends it, and `onOutput` is told when its first output has come. */
export type Entrant = {
  call(client: AbortSignal, onOutput: () => void): Promise<CandidateAttempt>
  /** It is not called after all. */
  withdraw(): void
}

type Race = {
  first: Pick<Entrant, 'call'>
  /** The call beside it; null where that must not be made after all. */
  second(): Promise<Entrant | null>
  delayMs: number
  clock: Pick<Clock, 'after'>
  client: AbortSignal
}

type Side = 'first' | 'second'

/** What came of the calls; `loser` was ended because the other one had output. */
export type Raced = { first: CandidateAttempt; second: CandidateAttempt | null; loser: Side | null }

/** Ends when that time is over, or it is decided. No sleep: what is waited for is the call, which is under way. */
const late = (ms: number, decided: AbortSignal, clock: Race['clock']): Promise<void> =>
  new Promise(resolve => {
    const cancel = clock.after(ms, resolve)
    decided.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })

/** What is offered before it is decided; what comes later is withdrawn then, and nobody waits for it. */
async function inTime(offered: Promise<Entrant | null>, decided: AbortSignal): Promise<Entrant | null> {
  const over = new Promise<null>(resolve => decided.addEventListener('abort', () => resolve(null)))
  const entrant = await Promise.race([offered, over])
  if (!decided.aborted) return entrant
  void offered.then(
    late => late?.withdraw(),
    () => undefined,
  )
  return null
}

/**
 * Makes a call, and another one beside it if no output has come after the delay. The first output wins, and the other call
 * is ended at once: that is nobody's failure. A call that fails meanwhile leaves the race to the other one.
 */
export async function race({ first, second, delayMs, clock, client }: Race): Promise<Raced> {
  const ends = { first: new AbortController(), second: new AbortController() }
  const decided = new AbortController()
  const won: Side[] = []

  function win(side: Side): void {
    decided.abort()
    if (won.length > 0) return
    won.push(side)
    ends[side === 'first' ? 'second' : 'first'].abort()
  }
  async function run(side: Side, entrant: Race['first']): Promise<CandidateAttempt> {
    const called = await entrant.call(AbortSignal.any([client, ends[side].signal]), () => win(side))
    if (called.result.kind === 'committed') win(side)
    decided.abort()
    return called
  }

  const running = run('first', first)
  await late(delayMs, decided.signal, clock)
  const beside = decided.signal.aborted || client.aborted ? null : await inTime(second(), decided.signal)
  if (!beside) return { first: await running, second: null, loser: null }
  const [one, other] = await Promise.all([running, run('second', beside)])
  const [winner] = won
  const loser = winner === undefined ? null : winner === 'first' ? 'second' : 'first'
  return {
    first: one,
    second: other,
    loser: hasEnded(loser === 'first' ? one : other, client) ? loser : null,
  }
}

/** A call that had failed by itself before the other one had output has lost no race. */
const hasEnded = ({ result }: CandidateAttempt, client: AbortSignal): boolean =>
  !client.aborted && (result.kind === 'committed' || result.failure.code === 'ABORT_ERR')
