import { describe, expect, it, test } from 'vitest'
import { chatCompletions } from '../../lambdas/http/surfaces/chat-completions.ts'
import { functionUrlEvent } from '../support/function-url-event.ts'
import { rejectionOf } from './refusal-of.ts'

const CALLER = { name: 'billing-app' }
const asked = { role: 'user', content: 'Send it.' }
const answered = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'sent' })

function eventOf(messages: readonly object[], headers: Record<string, string> = {}) {
  return functionUrlEvent({ body: { model: 'm', messages }, headers })
}

const roundOf = (messages: readonly object[], headers: Record<string, string> = {}) =>
  chatCompletions.parse(eventOf(messages, headers), CALLER).then(request => request.toolRound)

const sessionOf = async (headers: Record<string, string>): Promise<string | null> =>
  (await roundOf([asked], headers)).session

describe('a round', () => {
  it('is the first where no message holds results of tools', async () => {
    const calls = { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] }
    expect(await roundOf([asked, calls])).toEqual({
      later: false,
      finished: [],
      session: null,
      tracked: false,
    })
  })

  it('is a later one where any message does, with the calls that are answered', async () => {
    const messages = [asked, answered('call_1'), answered('call_2')]
    expect(await roundOf(messages)).toEqual({
      later: true,
      finished: ['call_1', 'call_2'],
      session: null,
      tracked: false,
    })
  })

  it('is the first again after a new question, which forgets no call', async () => {
    const messages = [asked, answered('call_1'), { role: 'assistant', content: 'Done.' }, asked]
    expect(await roundOf(messages)).toMatchObject({ later: false, finished: ['call_1'] })
  })

  it('is a later one where an instruction or an answer follows the results', async () => {
    expect(await roundOf([asked, answered('call_1'), { role: 'system', content: 'Go on.' }])).toMatchObject({
      later: true,
    })
  })

  it('is a later one where a function of the older kind has answered, or no id is given', async () => {
    expect(await roundOf([asked, { role: 'function', name: 'send', content: 'sent' }])).toMatchObject({
      later: true,
    })
    expect(await roundOf([asked, { role: 'tool', content: 'sent' }])).toMatchObject({
      later: true,
      finished: [],
    })
  })

  it('joins the calls that the client names, which counts as keeping track', async () => {
    const headers = { 'x-backstop-completed-tool-calls': 'call_0, call_1' }
    expect(await roundOf([asked, answered('call_1'), answered('call_2')], headers)).toEqual({
      later: true,
      finished: ['call_0', 'call_1', 'call_2'],
      session: null,
      tracked: true,
    })
  })
})

describe('a session', () => {
  test.each([
    'x-backstop-session',
    'idempotency-key',
    'x-session-id',
    'x-session-affinity',
    'x-claude-code-session-id',
    'session-id',
    'session_id',
    'thread-id',
  ])('is named by %s', async name => {
    const round = await roundOf([asked, answered('call_1')], { [name]: 'order-4711' })
    expect(round).toMatchObject({ tracked: true, session: expect.stringMatching(/^[\da-f]{32}$/) })
  })

  it('is the same by either header, and the session header wins over the alias', async () => {
    const named = await sessionOf({ 'x-backstop-session': 's' })
    expect(await sessionOf({ 'idempotency-key': 's' })).toBe(named)
    expect(await sessionOf({ 'x-backstop-session': 's', 'idempotency-key': 'other' })).toBe(named)
  })

  const sessionOfBody = async (
    fields: object,
    headers: Record<string, string> = {},
  ): Promise<string | null> => {
    const event = functionUrlEvent({ body: { model: 'm', messages: [asked], ...fields }, headers })
    return (await chatCompletions.parse(event, CALLER)).toolRound.session
  }

  test.each([
    ['prompt_cache_key', { prompt_cache_key: 's' }],
    ['metadata.session_id', { metadata: { session_id: 's' } }],
    ['metadata.user_id', { metadata: { user_id: '{"device_id":"d","session_id":"s"}' } }],
    [
      'the cache key before metadata',
      { prompt_cache_key: 's', metadata: { session_id: 't', user_id: '{"session_id":"u"}' } },
    ],
    ['session_id before user_id', { metadata: { session_id: 's', user_id: '{"session_id":"u"}' } }],
  ])('is named in the body by %s', async (_, fields) => {
    expect(await sessionOfBody(fields)).toBe(await sessionOf({ 'x-backstop-session': 's' }))
  })

  it('is that of a header where both name one', async () => {
    const named = await sessionOfBody({ prompt_cache_key: 't' }, { 'thread-id': 's' })
    expect(named).toBe(await sessionOf({ 'x-backstop-session': 's' }))
  })

  test.each([
    ['a user', { user: 's' }],
    ['a user_id that is no JSON', { metadata: { user_id: 's' } }],
    ['blanks', { prompt_cache_key: '  ', metadata: { session_id: 4 } }],
  ])('is not named by %s', async (_, fields) => {
    expect(await sessionOfBody(fields, { 'x-client-request-id': 's' })).toBeNull()
  })

  it('is another for another id, and for another caller', async () => {
    const event = eventOf([asked], { 'x-backstop-session': 's' })
    const sessions = [
      await sessionOf({ 'x-backstop-session': 's' }),
      await sessionOf({ 'x-backstop-session': 't' }),
      (await chatCompletions.parse(event, { name: 'reports' })).toolRound.session,
    ]
    expect(new Set(sessions).size).toBe(sessions.length)
  })
})

describe('the budget for retries', () => {
  const budgetOf = async (value: string): Promise<number | null> =>
    (await chatCompletions.parse(eventOf([asked], { 'x-backstop-retry-token-budget': value }), CALLER))
      .retryTokenBudget

  test.each([
    ['0', 0],
    ['2500', 2_500],
    ['', null],
  ])('is read: %j', async (value, expected) => {
    expect(await budgetOf(value)).toBe(expected)
  })

  test.each(['-1', '1.5', '1e3', 'all', '10000000000'])('must be a whole number: %j', async value => {
    expect(await rejectionOf(budgetOf(value))).toMatchObject({
      code: 'invalid_header',
      param: 'x-backstop-retry-token-budget',
    })
  })
})
