import { describe, expect, it, test } from 'vitest'
import { nextStep } from '../../../lambdas/core/routing/next-step.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../../lambdas/core/settings/settings.ts'
import type { ToolRound } from '../../../lambdas/core/chat-request.ts'
import { isSentOnce } from '../../../lambdas/core/routing/tool-round.ts'
import { FIRST_ROUND } from '../build.ts'
import { candidatesOf, failedAttempt, failureOf, rateLimit, progressOf, timeout } from '../build.ts'

describe('a round is sent once', () => {
  const lenient = { ...DEFAULT_SETTINGS, tool_retries: 'lenient' as const }
  const turnedAway = { ...DEFAULT_SETTINGS, tool_retries: 'turned_away' as const }
  const rows: [string, Partial<ToolRound>, Settings, boolean][] = [
    ['never where it is the first', {}, DEFAULT_SETTINGS, false],
    ['where it is a later one that nobody keeps track of', { later: true }, DEFAULT_SETTINGS, true],
    ['not where the client keeps track', { later: true, tracked: true }, DEFAULT_SETTINGS, false],
    ['not where its owner does not mind', { later: true }, lenient, false],
    ['where only calls that were turned away may move on', { later: true }, turnedAway, true],
  ]
  test.each(rows)('%s', (_, round, settings, expected) => {
    expect(isSentOnce({ ...FIRST_ROUND, ...round }, settings)).toBe(expected)
  })
})

describe('after a failure of what is sent once', () => {
  const tiers = candidatesOf([['a/one', 'b/one'], ['c/two']])
  const keyed = candidatesOf([['a/one'], ['b/two']], ['k1', 'k2'])
  const ended = { kind: 'give_up', reason: 'tool_round' }

  test.each([
    ['a 500', failureOf()],
    ['a limit', rateLimit()],
    ['a timeout', timeout()],
    ['a refused connection', failureOf({ kind: 'network', status: null, structural: true, class: 'fatal' })],
  ])('the chain ends: %s', (_, failure) => {
    expect(nextStep(progressOf(tiers, [failedAttempt(0, { failure })], { sentOnce: true }))).toEqual(ended)
  })

  it('another key is tried where the first one was refused at the door', () => {
    const failed = [failedAttempt(0, { key: 'k1', failure: rateLimit() })]
    expect(nextStep(progressOf(keyed, failed, { sentOnce: true }))).toEqual({
      kind: 'rotate',
      candidate: 0,
      key: 'k2',
    })
  })

  it('the request goes again without the field that was refused, but not behind another gateway', () => {
    const refusal = { kind: 'unsupported_param', class: 'degradable', status: 400 } as const
    const after = (failure = failureOf(refusal)) =>
      nextStep(progressOf(tiers, [failedAttempt(0, { failure, adaptable: true })], { sentOnce: true }))
    expect(after()).toMatchObject({ kind: 'adapt', candidate: 0 })
    expect(after(failureOf({ ...refusal, relayed: true }))).toEqual(ended)
  })

  test.each([200, 503])('no other key is tried after a %i, where work may have begun', status => {
    const failed = [failedAttempt(0, { key: 'k1', failure: rateLimit({ status }) })]
    expect(nextStep(progressOf(keyed, failed, { sentOnce: true }))).toEqual(ended)
  })

  it('the chain ends when the keys do', () => {
    const failed = [
      failedAttempt(0, { key: 'k1', failure: rateLimit() }),
      failedAttempt(0, { key: 'k2', via: 'rotate', failure: rateLimit() }),
    ]
    expect(nextStep(progressOf(keyed, failed, { sentOnce: true }))).toEqual(ended)
  })

  describe('where calls that were turned away may move on', () => {
    const settings = { ...DEFAULT_SETTINGS, tool_retries: 'turned_away' as const }
    const after = (failure: ReturnType<typeof failureOf>) =>
      nextStep(progressOf(tiers, [failedAttempt(0, { failure })], { sentOnce: true, settings }))

    test.each([
      ['a limit', rateLimit()],
      ['a refused key', failureOf({ kind: 'auth', class: 'non_retryable', scope: 'key', status: 401 })],
      ['a model that is gone', failureOf({ kind: 'model_not_found', class: 'degradable', status: 404 })],
      [
        'no connection',
        failureOf({ kind: 'network', status: null, code: 'ECONNREFUSED', structural: true, class: 'fatal' }),
      ],
      ['a connect timeout', { ...timeout(), code: 'BACKSTOP_CONNECT_TIMEOUT' }],
    ])('the next endpoint is called: %s', (_, failure) => {
      expect(after(failure)).toEqual({ kind: 'fail_over', candidate: 1 })
    })

    test.each([
      ['a 503', failureOf({ status: 503 })],
      ['a limit inside a 200', rateLimit({ status: 200 })],
      ['a limit behind another gateway', rateLimit({ relayed: true })],
      ['silence', { ...timeout(), code: 'BACKSTOP_FIRST_OUTPUT_TIMEOUT' }],
      ['a broken connection', failureOf({ kind: 'network', status: null, code: 'ECONNRESET' })],
    ])('the chain ends: %s', (_, failure) => {
      expect(after(failure)).toEqual(ended)
    })

    it('no endpoint is called twice', () => {
      const alone = candidatesOf([['a/one']])
      const failed = [failedAttempt(0, { failure: rateLimit({ retryAfterMs: 0 }) })]
      expect(nextStep(progressOf(alone, failed, { sentOnce: true, settings }))).toMatchObject({
        kind: 'give_up',
      })
    })
  })

  it('the rule is not named where nobody was left anyway, or the request was at fault', () => {
    const last = [failedAttempt(2, { failure: timeout() })]
    expect(nextStep(progressOf(tiers, last, { sentOnce: true }))).toMatchObject({ reason: 'exhausted' })
    const faulty = [failedAttempt(0, { failure: failureOf({ kind: 'bad_request', tryNext: false }) })]
    expect(nextStep(progressOf(tiers, faulty, { sentOnce: true }))).toMatchObject({
      reason: 'request_fault',
    })
  })
})
