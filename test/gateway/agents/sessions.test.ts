import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'

/** Rounds after tool calls on every surface, and the ids by which agents name their sessions. */

type Sent = { headers?: Record<string, string>; body?: JsonObject }

/** A later round in each API: one call, and its result. */
const SURFACES: Readonly<Record<string, JsonObject>> = {
  '/v1/chat/completions': {
    messages: [
      { role: 'user', content: 'Hello?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
    ],
  },
  '/v1/responses': {
    input: [
      { role: 'user', content: 'Hello?' },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
    ],
  },
  '/v1/messages': {
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'ok' }] },
    ],
  },
}
const PATHS = Object.keys(SURFACES)

const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })
const LIMITED = errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' })

/** Sends a later round to a chain whose first endpoint answers like this. */
async function askLater(
  path: string,
  { headers = {}, body = {} }: Sent,
  first: UpstreamAnswer,
  settings = {},
) {
  await using one = await startUpstream([first])
  await using two = await startUpstream([chatStream(['Hi.'])])
  await using gateway = await startGateway({
    providers: { one: { baseUrl: one.url, key: false }, two: { baseUrl: two.url, key: false } },
    models: { house: { tiers: [['one/m'], ['two/m']] } },
    settings: { retry_max_attempts: 2, ...settings },
  })
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'house', ...SURFACES[path], ...body }),
  })
  const text = await response.text()
  const told = two.requests[0]?.headers ?? {}
  return { status: response.status, text, told, calls: [one.calls(), two.calls()] }
}

/** What agents send by themselves, and our own. */
const TOKENS: readonly (readonly [string, Sent])[] = [
  ...[
    'x-backstop-session',
    'idempotency-key',
    'x-session-id',
    'x-session-affinity',
    'x-claude-code-session-id',
    'session-id',
    'session_id',
    'thread-id',
  ].map((name): [string, Sent] => [name, { headers: { [name]: 'S' } }]),
  ['prompt_cache_key', { body: { prompt_cache_key: 'S' } }],
  ['metadata.session_id', { body: { metadata: { session_id: 'S' } } }],
  ['metadata.user_id', { body: { metadata: { user_id: '{"device_id":"d","session_id":"S"}' } } }],
]
/** Ids of a person, or of one request. */
const NO_TOKENS: readonly (readonly [string, Sent])[] = [
  ['user', { body: { user: 'S' } }],
  ['x-client-request-id', { headers: { 'x-client-request-id': 'S' } }],
  ['metadata.user_id without a session', { body: { metadata: { user_id: 'S' } } }],
]

describe.each(PATHS)('a later round of POST %s', path => {
  it.each(TOKENS)('falls back with %s, and tells what has run', async (_, sent) => {
    const { status, told, calls } = await askLater(path, sent, OVERLOADED)
    expect({ status, calls }).toEqual({ status: 200, calls: [1, 1] })
    expect(told['x-backstop-completed-tool-calls']).toBe('call_1')
    // The id itself is nobody's business: headers of clients end here.
    expect(JSON.stringify(told)).not.toContain('"S"')
  })

  it.each(NO_TOKENS)('is not repeated with %s, and says what to send', async (_, sent) => {
    const { status, text, calls } = await askLater(path, sent, OVERLOADED)
    expect(status).toBeGreaterThanOrEqual(500)
    expect(calls).toEqual([1, 0])
    expect(text).toContain('x-backstop-session')
  })

  it.each([
    ['strict', LIMITED, [1, 0]],
    ['strict', OVERLOADED, [1, 0]],
    ['turned_away', LIMITED, [1, 1]],
    ['turned_away', OVERLOADED, [1, 0]],
    ['lenient', LIMITED, [1, 1]],
    ['lenient', OVERLOADED, [1, 1]],
  ] as const)('without an id and with tool_retries %s: %j', async (mode, first, calls) => {
    const asked = await askLater(path, {}, first, { tool_retries: mode })
    expect(asked.calls).toEqual(calls)
    expect(asked.status === 200).toBe(calls[1] === 1)
  })
})

describe('two ids', () => {
  it.each(PATHS)('of POST %s: ours counts first, then the agent’s header, then its body', async path => {
    // Two rounds of one session, of which the second has forgotten its first call.
    const sent: readonly Sent[] = [
      { headers: { 'x-backstop-session': 'A', 'session-id': 'X' }, body: { prompt_cache_key: 'X' } },
      { headers: { 'x-backstop-session': 'A' } },
      { headers: { 'session-id': 'X' } },
    ]
    await using upstream = await startUpstream([chatStream(['Hi.'])])
    await using gateway = await startGateway({
      providers: { one: { baseUrl: upstream.url, key: false } },
      models: { house: { tiers: [['one/m']] } },
    })
    const told: unknown[] = []
    for (const [place, { headers, body }] of sent.entries()) {
      const later = JSON.parse(JSON.stringify(SURFACES[path]).replaceAll('call_1', `call_${place}`)) as object
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'house', ...later, ...body }),
      })
      await response.text()
      await gateway.settled()
      told.push(upstream.requests.at(-1)?.headers['x-backstop-completed-tool-calls'])
    }
    expect(told).toEqual(['call_0', 'call_0,call_1', 'call_2'])
  })
})
