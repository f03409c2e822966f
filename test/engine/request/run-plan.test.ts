import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import { planChain } from '../../../lambdas/core/routing/plan.ts'
import { runPlan, type PlanResult } from '../../../lambdas/engine/request/run-plan.ts'
import type { Run } from '../../../lambdas/engine/request/run.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { guessed, statedWait } from '../../core/build.ts'
import { startRequestEngine, type RequestEngine } from './request-engine.ts'

const well = () => chatStream(['Well'])
const broken = errorAnswer(500, { message: 'The server had an error.' })
const limited = errorAnswer(429, { message: 'Rate limit reached' }, { 'retry-after': '30' })
const badKey = errorAnswer(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' })

const walk = (engine: RequestEngine, run: Run): Promise<PlanResult> => {
  const plan = planChain(run.request, run.chain, run.snapshot, engine.clock.now())
  return runPlan(run, { plan, admitted: null }, {}, engine.tools)
}
const wayOf = ({ trail }: PlanResult): string[] =>
  trail.map(({ endpoint, outcome }) => `${endpoint.name} ${outcome}`)

/** A provider's cooldown that somebody else has caused. */
const coolingDown = (engine: RequestEngine, id: string): void => {
  const now = engine.clock.now()
  const breakers = new Map([[`limit#model#${id}` as const, statedWait(now + 60_000)]])
  engine.fleet.snapshot = { ...engine.fleet.snapshot, breakers }
}

describe('a plan', () => {
  it('ends with the first answer, which names its attempt', async () => {
    await using engine = await startRequestEngine({ a: [limited], b: [well()], c: [well()] })
    const result = await walk(engine, await engine.run([['a/m', 'b/m'], ['c/m']]))
    expect(wayOf(result)).toEqual(['a/m rate_limit', 'b/m ok'])
    expect(result).toMatchObject({ kind: 'answered', served: { status: 200, tier: 0 } })
    expect(result.kind === 'answered' && result.served).toBe(result.trail[1])
    if (result.kind === 'answered') await result.answer.close()
    expect(engine.upstreams.get('c')?.calls()).toBe(0)
  })

  it('keeps the headers of failures and successes', async () => {
    const refused = errorAnswer(429, { message: 'Slow down' }, { 'x-ratelimit-remaining-tokens': '0' })
    const good = { ...well(), headers: { ...well().headers, 'x-ratelimit-remaining-tokens': '1000' } }
    await using engine = await startRequestEngine({ a: [refused], b: [good] })
    const result = await walk(engine, await engine.run([['a/m', 'b/m']]))
    expect(result.trail.map(({ headers }) => headers['x-ratelimit-remaining-tokens'])).toEqual(['0', '1000'])
    if (result.kind === 'answered') await result.answer.close()
  })

  it('waits before it calls the same endpoint again, and not before another one', async () => {
    await using engine = await startRequestEngine({ a: [broken], b: [broken, well()] })
    const startedAt = engine.clock.now()
    const result = await walk(engine, await engine.run([['a/m', 'b/m']]))
    expect(wayOf(result)).toEqual(['a/m server_error', 'b/m server_error', 'b/m ok'])
    const [, second, third] = result.trail
    expect(second?.startedAfterMs).toBe(0)
    // 200 ms, and half a second of jitter.
    expect(third?.startedAfterMs).toBe(700)
    expect(engine.clock.now() - startedAt).toBe(700)
    if (result.kind === 'answered') await result.answer.close()
  })

  it('calls with the next key where one is refused, and has the keys read again', async () => {
    const keys = new Map([['a', ['k1', 'k2']]])
    await using engine = await startRequestEngine({ a: [badKey, well()] }, keys)
    const result = await walk(engine, await engine.run([['a/m']]))
    expect(result.trail.map(({ key, outcome }) => [key, outcome])).toEqual([
      ['k1', 'auth'],
      ['k2', 'ok'],
    ])
    expect(engine.upstreams.get('a')?.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer secret of k1',
      'Bearer secret of k2',
    ])
    expect(engine.keysRefused()).toBe(1)
    if (result.kind === 'answered') await result.answer.close()
  })

  it('calls without a droppable parameter that was refused, and tells the fleet', async () => {
    const refusal = errorAnswer(400, {
      message: 'Unsupported parameter: store',
      code: 'unsupported_parameter',
    })
    await using engine = await startRequestEngine({ a: [refusal, well()] })
    const body = { messages: [{ role: 'user', content: 'Hello?' }], store: true }
    const result = await walk(engine, await engine.run([['a/m']], { body }))
    expect(result.kind).toBe('answered')
    expect(engine.upstreams.get('a')?.requests.map(({ body: sent }) => 'store' in sent)).toEqual([
      true,
      false,
    ])
    expect(engine.notes).toContainEqual(expect.objectContaining({ kind: 'refused', endpoint: 'a/m' }))
    if (result.kind === 'answered') await result.answer.close()
  })

  it('notes every failure, in order, and what the last one was when nothing answered', async () => {
    await using engine = await startRequestEngine({ a: [limited], b: [limited] })
    const result = await walk(engine, await engine.run([['a/m'], ['b/m']]))
    expect(result).toMatchObject({ kind: 'failed', finalError: { code: 'rate_limit_exceeded' } })
    expect(engine.notes).toEqual([
      { kind: 'failed', endpoint: 'a/m', failure: 'rate_limit' },
      { kind: 'failed', endpoint: 'b/m', failure: 'rate_limit' },
    ])
  })

  it('calls nobody else once the client has left, and blames nobody for it', async () => {
    await using engine: RequestEngine = await startRequestEngine({
      a: () => {
        engine.leave()
        return { fault: 'no-response' }
      },
      b: [well()],
    })
    const result = await walk(engine, await engine.run([['a/m', 'b/m']]))
    expect(wayOf(result)).toEqual(['a/m client_left'])
    expect(result).toMatchObject({ kind: 'failed', finalError: { code: 'client_left' } })
    expect(engine.upstreams.get('b')?.calls()).toBe(0)
  })

  it('stops after the first endpoint where the client wants no fallback', async () => {
    await using engine = await startRequestEngine({ a: [limited], b: [well()] })
    const result = await walk(engine, await engine.run([['a/m', 'b/m']], { fallback: false }))
    expect(wayOf(result)).toEqual(['a/m rate_limit'])
  })

  it('stops where retries have cost what they may cost', async () => {
    await using engine = await startRequestEngine({
      a: [limited],
      b: [chatStream(['cut'], { finish: null })],
      c: [well()],
    })
    const run = await engine.run([['a/m', 'b/m', 'c/m']], {
      buffer: true,
      promptTokens: 5_000,
      retryTokenBudget: 8_000,
    })
    const result = await walk(engine, run)
    expect(wayOf(result).length).toBe(2)
    expect(result).toMatchObject({ kind: 'failed', finalError: { code: 'retry_budget_exhausted' } })
    expect(result.retryTokens).toBeGreaterThan(5_000)
  })
})

describe('the key of a call', () => {
  const keys = new Map([['a', ['k1', 'k2']]])

  it('is the same for the retry of an endpoint', async () => {
    await using engine = await startRequestEngine({ a: [badKey, broken, well()] }, keys)
    const result = await walk(engine, await engine.run([['a/m']]))
    expect(result.trail.map(({ key, outcome }) => [key, outcome])).toEqual([
      ['k1', 'auth'],
      ['k2', 'server_error'],
      ['k2', 'ok'],
    ])
    if (result.kind === 'answered') await result.answer.close()
  })

  it('is no reason to read the keys again where it was not refused', async () => {
    await using engine = await startRequestEngine({ a: [broken, well()] }, keys)
    const result = await walk(engine, await engine.run([['a/m']]))
    expect(engine.keysRefused()).toBe(0)
    if (result.kind === 'answered') await result.answer.close()
  })
})

describe('the time for the first output of a call', () => {
  const silent = { fault: 'no-response' } as const
  const timesOf = ({ trail }: PlanResult): number[] => trail.map(({ durationMs }) => durationMs)

  async function walkInTime(engine: RequestEngine, run: Run): Promise<PlanResult> {
    const over = new AbortController()
    const walking = walk(engine, run).finally(() => over.abort())
    await engine.clock.sleep(900_000, over.signal)
    return walking
  }

  it('is ten seconds while another endpoint waits, and what is left of the deadline for the last one', async () => {
    await using engine = await startRequestEngine({ a: [silent], b: [silent], c: [silent] })
    const result = await walkInTime(engine, await engine.run([['a/m', 'b/m', 'c/m']]))
    expect(timesOf(result)).toEqual([10_000, 10_000, 25_000])
  })

  it('is shared by no more endpoints than attempts are left for', async () => {
    await using engine = await startRequestEngine({ a: [silent], b: [silent], c: [silent] })
    const { snapshot } = engine.fleet
    const settings = { ...snapshot.settings, retry_max_attempts: 2 }
    engine.fleet.snapshot = { ...snapshot, settings }
    const result = await walkInTime(engine, await engine.run([['a/m', 'b/m', 'c/m']]))
    expect(timesOf(result)).toEqual([10_000, 35_000])
  })

  it('is all there is where nobody else may be called', async () => {
    await using engine = await startRequestEngine({ a: [silent], b: [well()] })
    const toolRound = { later: true, finished: [], session: null, tracked: false }
    const result = await walkInTime(engine, await engine.run([['a/m', 'b/m']], { toolRound }))
    expect(timesOf(result)).toEqual([45_000])
  })

  it('ends before the platform does', async () => {
    await using engine = await startRequestEngine({ a: [silent] })
    const run = await engine.run([['a/m']])
    const result = await walkInTime(engine, { ...run, endsAt: run.startedAt + 2_000 })
    expect(timesOf(result)).toEqual([2_000])
  })
})

describe('what the fleet is told of the attempt that answers', () => {
  it('is that its output came, with its key', async () => {
    const keys = new Map([['a', ['k1']]])
    await using engine = await startRequestEngine({ a: [well()] }, keys)
    const result = await walk(engine, await engine.run([['a/m']]))
    expect(engine.notes).toEqual([{ kind: 'committed', endpoint: 'a/m', key: 'k1' }])
    if (result.kind === 'answered') await result.answer.close()
  })
})

describe('a retry', () => {
  it('is not barred by what its own first try has caused', async () => {
    await using engine: RequestEngine = await startRequestEngine({
      a: () => {
        if (engine.fleet.snapshot.breakers.size > 0) return well()
        const breakers = new Map([['endpoint#a/m' as const, guessed(engine.clock.now() + 60_000)]])
        engine.fleet.snapshot = { ...engine.fleet.snapshot, breakers }
        return broken
      },
    })
    const result = await walk(engine, await engine.run([['a/m']]))
    expect(wayOf(result)).toEqual(['a/m server_error', 'a/m ok'])
    if (result.kind === 'answered') await result.answer.close()
  })

  it('is barred where the provider has been barred meanwhile', async () => {
    await using engine: RequestEngine = await startRequestEngine({
      a: () => {
        if (engine.fleet.snapshot.breakers.size > 0) return well()
        const breakers = new Map([['provider#a' as const, guessed(engine.clock.now() + 60_000)]])
        engine.fleet.snapshot = { ...engine.fleet.snapshot, breakers }
        return broken
      },
    })
    const result = await walk(engine, await engine.run([['a/m']]))
    expect(wayOf(result)).toEqual(['a/m server_error'])
  })

  it('does not follow a trial that failed', async () => {
    await using engine = await startRequestEngine({ a: [broken, well()] })
    const now = engine.clock.now()
    engine.fleet.snapshot = {
      ...engine.fleet.snapshot,
      breakers: new Map([['provider#a', guessed(now - 1)]]),
    }
    const result = await walk(engine, await engine.run([['a/m']]))
    expect(wayOf(result)).toEqual(['a/m server_error'])
  })
})

it('does not count a last resort among the skipped once it is called', async () => {
  await using engine = await startRequestEngine({ a: [well()] })
  const now = engine.clock.now()
  engine.fleet.snapshot = {
    ...engine.fleet.snapshot,
    breakers: new Map([['endpoint#a/m', guessed(now + 60_000, { openedAt: now - 30_000 })]]),
  }
  const result = await walk(engine, await engine.run([['a/m']]))
  expect(wayOf(result)).toEqual(['a/m ok'])
  expect(result.plan.skipped).toEqual([])
  if (result.kind === 'answered') await result.answer.close()
})

describe('a planned candidate that is barred before its call', () => {
  const barWhenCalled = (engine: () => RequestEngine, id: string) => () => {
    coolingDown(engine(), id)
    return limited
  }

  it('is passed by for the next one, and shows among the skipped', async () => {
    await using engine: RequestEngine = await startRequestEngine({
      a: barWhenCalled(() => engine, 'b/m'),
      b: [well()],
      c: [well()],
    })
    const result = await walk(engine, await engine.run([['a/m', 'b/m', 'c/m']]))
    expect(wayOf(result)).toEqual(['a/m rate_limit', 'c/m ok'])
    expect(engine.upstreams.get('b')?.calls()).toBe(0)
    expect(result.plan.skipped).toMatchObject([
      { endpoint: { name: 'b/m' }, reason: 'cooldown', cause: 'rate_limit' },
    ])
    if (result.kind === 'answered') await result.answer.close()
  })

  it.each([
    ['a probe', {}, {}, 90_000],
    ['nothing but the operator who ordered it', { byHand: 'wrong answers' }, {}, null],
    ['nothing where probes are off', {}, { endpoint_probes_disabled: true }, null],
  ])('is told to come back with %s, where it was quarantined', async (_, order, settings, afterMs) => {
    await using engine: RequestEngine = await startRequestEngine({
      a: () => {
        const { snapshot } = engine.fleet
        const nextProbeAt = engine.clock.now() + 90_000
        const times = { since: engine.clock.now(), nextProbeAt, nextOnDemandAt: null }
        const mark = { state: 'quarantined', cause: 'model_not_found', ...times, ...order } as const
        const health = new Map([[engine.endpoint('b/m').id, mark]])
        engine.fleet.snapshot = { ...snapshot, health, settings: { ...snapshot.settings, ...settings } }
        return limited
      },
      b: [well()],
      c: [well()],
    })
    const startedAt = engine.clock.now()
    const result = await walk(engine, await engine.run([['a/m', 'b/m', 'c/m']]))
    expect(wayOf(result)).toEqual(['a/m rate_limit', 'c/m ok'])
    const [skipped] = result.plan.skipped
    expect(skipped?.reason).toBe('quarantined')
    if (afterMs === null) expect(skipped?.until).toBeNull()
    else expect(skipped?.until).toBeGreaterThanOrEqual(startedAt + afterMs)
    if (result.kind === 'answered') await result.answer.close()
  })

  it('ends the plan where it was the last one, with the failure of the one that was called', async () => {
    await using engine: RequestEngine = await startRequestEngine({
      a: barWhenCalled(() => engine, 'b/m'),
      b: [well()],
    })
    const result = await walk(engine, await engine.run([['a/m', 'b/m']]))
    expect(wayOf(result)).toEqual(['a/m rate_limit'])
    expect(engine.upstreams.get('b')?.calls()).toBe(0)
    expect(result).toMatchObject({ kind: 'failed', finalError: { code: 'rate_limit_exceeded' } })
  })

  it('is passed by where another gateway has won the trial of its breaker', async () => {
    await using engine = await startRequestEngine({ a: [well()], b: [well()] })
    const now = engine.clock.now()
    engine.fleet.snapshot = {
      ...engine.fleet.snapshot,
      breakers: new Map([['provider#a', guessed(now - 1)]]),
    }
    engine.fleet.trials = false
    const result = await walk(engine, await engine.run([['a/m', 'b/m']]))
    expect(wayOf(result)).toEqual(['b/m ok'])
    expect(result.plan.skipped).toMatchObject([{ endpoint: { name: 'a/m' }, reason: 'breaker_open' }])
    if (result.kind === 'answered') await result.answer.close()
  })

  it('leaves nothing where it was the only one: no endpoint was called, and the error says when to return', async () => {
    await using engine = await startRequestEngine({ a: [well()] })
    const now = engine.clock.now()
    engine.fleet.snapshot = {
      ...engine.fleet.snapshot,
      breakers: new Map([['provider#a', guessed(now + 20_000, { openedAt: now - 500 })]]),
    }
    engine.fleet.trials = false
    const run = await engine.run([['a/m']])
    const candidate = {
      endpoint: engine.endpoint('a/m'),
      tier: 0,
      suspect: false,
      lastResort: false,
      keys: [],
    }
    const trial = [{ scope: 'provider#a' as const, everyMs: null }]
    const plan = { candidates: [{ ...candidate, trial }], lastResorts: [], skipped: [], degraded: false }
    const result = await runPlan(run, { plan, admitted: null }, {}, engine.tools)
    expect(result).toMatchObject({
      kind: 'failed',
      trail: [],
      finalError: { code: 'no_endpoint_available', retryAfterMs: 1_500 },
    })
  })
})

it('keeps what the plan had skipped', async () => {
  await using engine = await startRequestEngine({ a: [well()] })
  const blind = engine.endpoint('b/m', { vision: false })
  const needs = { tools: false, vision: true, json: false }
  const run = await engine.run([['a/m'], [blind]])
  const result = await walk(engine, {
    ...run,
    request: { ...run.request, needs: { ...run.request.needs, ...needs } },
  })
  expect(result.plan.skipped).toMatchObject([{ endpoint: { name: 'b/m' }, reason: 'no_vision' }])
  if (result.kind === 'answered') await result.answer.close()
})

describe('a later round of tools that nobody keeps track of', () => {
  it('is sent once, and the error says what would have allowed another try', async () => {
    await using engine = await startRequestEngine({ a: [broken], b: [well()] })
    const toolRound = { later: true, finished: ['call_1'], session: null, tracked: false }
    const result = await walk(engine, await engine.run([['a/m', 'b/m']], { toolRound }))
    expect(wayOf(result)).toEqual(['a/m server_error'])
    expect(result).toMatchObject({
      kind: 'failed',
      finalError: {
        code: 'tool_round_failed',
        message: expect.stringContaining('x-backstop-session') as string,
      },
    })
    expect(engine.upstreams.get('b')?.calls()).toBe(0)
  })
})

it('tells how each kind of failure is counted: what the fleet is told is what the trail says', async () => {
  const kinds: Failure['kind'][] = []
  await using engine = await startRequestEngine({
    a: [limited],
    b: [broken],
    c: [errorAnswer(404, { message: 'The model `m` does not exist', code: 'model_not_found' })],
    d: [well()],
  })
  const result = await walk(engine, await engine.run([['a/m', 'b/m', 'c/m', 'd/m']]))
  for (const note of engine.notes) if (note.kind === 'failed') kinds.push(note.failure)
  expect(kinds).toEqual(['rate_limit', 'server_error', 'model_not_found'])
  expect(result.trail.flatMap(({ failure }) => failure?.kind ?? [])).toEqual(kinds)
  if (result.kind === 'answered') await result.answer.close()
})
