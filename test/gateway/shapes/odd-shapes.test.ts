import { describe, expect, test } from 'vitest'
import type { Json } from '../../../lambdas/core/json.ts'
import { ask } from '../../support/ask.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { readAsClient } from '../../support/read-as-client.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'

const event = (data: Json): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const chunk = (delta: Json, finish: Json = null, more: { [name: string]: Json } = {}) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
})
const DONE = event('[DONE]')
const part = (call: { [name: string]: Json }): Json => ({ tool_calls: [call] })

type Shape = {
  name: string
  chunks: readonly string[]
  /** What the client has of it: the answer, what the next endpoint says, or (streamed) what came before a cut. */
  gives: 'answer' | 'backup' | 'cut'
  content?: string
  finish?: string
  call?: string
}

const answer = (name: string, chunks: readonly string[], says: Partial<Shape> = {}): Shape => ({
  name,
  chunks,
  gives: 'answer',
  content: 'Hello',
  finish: 'stop',
  ...says,
})
const broken = (gives: 'backup' | 'cut', name: string, chunks: readonly string[]): Shape => ({
  name,
  chunks,
  gives,
})
const hello = event(chunk({ content: 'Hello' }))
const stop = event(chunk({}, 'stop'))

/** Events in place of the rest of an answer, before an end that says nothing else. */
const COMPLAINTS: readonly Json[] = [
  {
    text: '**NETWORK ERROR DUE TO HIGH TRAFFIC. PLEASE REGENERATE OR REFRESH THIS PAGE.**',
    error_code: 50_001,
  },
  { error_code: 336_100, error_msg: 'no capacity' },
  { modelStreamErrorException: { message: 'The model stream was interrupted' } },
  { internalServerException: { message: 'Internal' } },
  { errorMessage: 'Task timed out after 30.00 seconds', errorType: 'Sandbox.Timedout' },
  { Message: 'Endpoint request timed out' },
  { fault: { faultstring: 'Gateway timeout' } },
  { error_type: 'overloaded', error_message: 'no capacity' },
  { err: 'x' },
  { exception: 'x' },
  chunk({ error: 'upstream timeout' }),
  { success: false, data: null },
  { status: 'error', request_id: 'r' },
  { ...chunk({}), error_code: 'E_BUSY' },
  { text: 'The service is busy.' },
  { result: { reason: 'The service is busy.' } },
]

/** Events that say nothing of the answer, before such an end. */
const NOTICES: readonly Json[] = [
  { type: 'ping' },
  { conversation_id: 'c1', event: 'end' },
  { sources: [{ title: 'A page', url: 'https://example.com' }] },
  { error_code: 0, error_msg: 'success', data: null },
  { error_code: '00000', error_msg: 'Successful.', default: true, status: 'success' },
  { id: 'x', object: 'chat.completion.chunk', created: 1_700_000_000 },
]

/** None of them is OpenAI's, and each was seen at some host. */
const SHAPES: readonly Shape[] = [
  ...COMPLAINTS.map(said =>
    broken('cut', `a complaint before its end, ${JSON.stringify(said)}`, [hello, event(said), DONE]),
  ),
  ...COMPLAINTS.slice(-2).map(said =>
    broken('backup', `a complaint alone, ${JSON.stringify(said)}`, [event(said), DONE]),
  ),
  ...NOTICES.map(said =>
    answer(`a notice before its end, ${JSON.stringify(said)}`, [hello, event(said), DONE]),
  ),
  ...['function_call_filter: MALFORMED_FUNCTION_CALL', 'error: upstream', 'UNEXPECTED_TOOL_CALL'].map(
    finish => broken('cut', `a finish of ${finish}`, [hello, event(chunk({}, finish)), DONE]),
  ),
  ...['model_context_window_exceeded', 'context_length_exceeded'].flatMap(finish => [
    answer(`a finish of ${finish}`, [hello, event(chunk({}, finish)), DONE], { finish: 'length' }),
    broken('backup', `a finish of ${finish} alone`, [event(chunk({ content: '' }, finish)), DONE]),
  ]),
  answer('words that are no chunk before the rest', [event({ text: 'Hm.' }), hello, DONE]),
  answer('words that are no chunk before its finish', [hello, event({ text: 'Hm.' }), stop, DONE]),
  answer('thoughts and texts as lists of parts', [
    event(chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] })),
    event(chunk({ content: [{ type: 'text', text: 'Hel' }] })),
    event(chunk({ content: 'lo' }, 'stop')),
    DONE,
  ]),
  answer('a finish of nothing on every chunk', [
    event(chunk({ content: 'Hel' }, '')),
    event(chunk({ content: 'lo' }, '')),
    stop,
    DONE,
  ]),
  answer('a finish twice', [hello, stop, stop, DONE]),
  answer('blank lines that keep it alive', ['\n\n', '   \n\n', hello, stop, DONE]),
  answer('usage beside choices of null', [
    hello,
    stop,
    event({ id: 'x', choices: null, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
    DONE,
  ]),
  answer('a count of null in its usage', [
    hello,
    event({ ...chunk({}, 'stop'), usage: { prompt_tokens: 1, completion_tokens: null, total_tokens: 1 } }),
    DONE,
  ]),
  answer('an end in small letters', [hello, stop, event('[done]')]),
  answer('an end in quotation marks', [hello, stop, event('"[DONE]"')]),
  answer('an end without a finish', [hello, DONE]),
  answer('a code of success beside each chunk', [
    event({ code: 0, message: 'ok', ...chunk({ content: 'Hello' }) }),
    stop,
    DONE,
  ]),
  answer(
    'a character in two halves',
    [event(chunk({ content: '\ud83d' })), event(chunk({ content: '\ude00' })), stop, DONE],
    { content: '😀' },
  ),
  answer('a role only at its end', [hello, event(chunk({ role: 'assistant' }, 'stop')), DONE]),
  answer('content that is false', [event(chunk({ content: false })), hello, stop, DONE]),
  answer(
    'a call whose index is text',
    [
      event(
        chunk(part({ index: '0', id: 'a', type: 'function', function: { name: 'f', arguments: '{"a"' } })),
      ),
      event(chunk(part({ index: '0', function: { arguments: ':1}' } }))),
      event(chunk({}, 'tool_calls')),
      DONE,
    ],
    { content: '', finish: 'tool_calls', call: '{"a":1}' },
  ),
  answer(
    'a call without an index, whose id empties',
    [
      event(
        chunk(part({ index: null, id: 'a', type: 'function', function: { name: 'f', arguments: '{"a"' } })),
      ),
      event(chunk(part({ index: null, id: '', function: { arguments: ':1}' } }))),
      event(chunk({}, 'eos')),
      DONE,
    ],
    { content: '', finish: 'tool_calls', call: '{"a":1}' },
  ),
  broken('cut', 'an error in a choice', [
    hello,
    event(chunk({}, 'error', { error: { code: 429, message: 'Slow.' } })),
  ]),
  broken('cut', 'an error beside an empty choice', [
    hello,
    event({ ...chunk({ content: '' }, 'error'), error: { code: 502, message: 'Provider disconnected' } }),
    DONE,
  ]),
  broken('cut', 'a status of failure where choices belong', [
    event({ ...chunk({ content: 'Hello' }), base_resp: { status_code: 0, status_msg: '' } }),
    event({ choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit' } }),
  ]),
  broken('cut', 'a page of a proxy', [hello, '<html><body>502 Bad Gateway</body></html>\n\n']),
  broken('cut', 'an end inside a string', [hello, 'data: {"choices":[{"delta":{"content":"wor']),
  broken('backup', 'an error of words', ['data: Error: upstream overloaded\n\n', DONE]),
  broken('backup', 'an error that is only a detail', ['event: error\ndata: {"detail":"Internal"}\n\n']),
  broken('backup', 'a code of failure alone', [event({ code: 1301, message: 'content risk' }), DONE]),
  answer('no events, but one chunk that is a whole answer', [
    `${JSON.stringify(chunk({ content: 'Hello' }, 'stop'))}\n`,
  ]),
  broken('backup', 'lines of JSON', [
    `${JSON.stringify(chunk({ content: 'Hel' }))}\n`,
    `${JSON.stringify(chunk({ content: 'lo' }, 'stop'))}\n`,
  ]),
  broken('backup', 'one list of chunks', [
    `[${JSON.stringify(chunk({ content: 'Hel' }))},`,
    `${JSON.stringify(chunk({ content: 'lo' }, 'stop'))}]\n`,
  ]),
  broken('backup', "another API's message", [
    event({ message: { role: 'assistant', content: 'Hello' }, done: true }),
  ]),
]

const clock = createVirtualClock()

async function answerTo({ chunks }: Shape, stream: boolean) {
  await using upstream = await startUpstream([{ headers: { 'content-type': 'text/event-stream' }, chunks }])
  await using backup = await startUpstream([chatStream(['from the backup'])])
  const tiers = [['a/m'], ['b/m']]
  await using gateway = await startGateway(configOf({ a: upstream.url, b: backup.url }, tiers), {}, { clock })
  return await ask(gateway, { stream })
}

test('a prompt that fills the window is no fault of its endpoint, streamed or whole', async () => {
  const full = 'model_context_window_exceeded'
  const completion = {
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: full }],
  }
  const answers = [
    { headers: { 'content-type': 'text/event-stream' }, chunks: [event(chunk({ content: '' }, full)), DONE] },
    { status: 200, body: completion },
  ]
  for (const given of answers) {
    await using upstream = await startUpstream([given])
    await using gateway = await startGateway(configOf({ a: upstream.url }, [['a/m']]), {}, { clock })
    const { status, error } = await ask(gateway, { stream: true })
    expect([status, error?.code]).toEqual([400, 'context_length_exceeded'])
    expect(upstream.calls()).toBe(1)
  }
})

test('a whole answer that ends with its window is cut short', async () => {
  const message = { role: 'assistant', content: 'Hello' }
  const body = { choices: [{ index: 0, message, finish_reason: 'model_context_window_exceeded' }] }
  await using upstream = await startUpstream([{ status: 200, body }])
  await using gateway = await startGateway(configOf({ a: upstream.url }, [['a/m']]), {}, { clock })
  for (const stream of [true, false]) {
    expect(readAsClient(await ask(gateway, { stream }))).toMatchObject({ content: 'Hello', finish: 'length' })
  }
})

describe('a stream with', () => {
  test.each(SHAPES)('$name: streamed', async shape => {
    const { gives, content = '', finish, call } = shape
    const given = await answerTo(shape, true)
    expect(given.done).toBe(gives !== 'cut')
    expect(given.error?.code ?? null).toBe(gives === 'cut' ? 'stream_cut' : null)
    if (gives === 'cut') return expect(given.content).toBe('Hello')
    const view = readAsClient(given)
    if (gives === 'backup') return expect(view).toMatchObject({ content: 'from the backup', finish: 'stop' })
    expect(view).toMatchObject({ content, finish, role: 'assistant' })
    expect(view.calls.map(made => made.arguments)).toEqual(call === undefined ? [] : [call])
  })

  test.each(SHAPES)('$name: whole', async shape => {
    const { gives, content = '', finish, call } = shape
    const given = await answerTo(shape, false)
    expect(given.status).toBe(200)
    const view = readAsClient(given)
    if (gives !== 'answer') return expect(view).toMatchObject({ content: 'from the backup', finish: 'stop' })
    expect(view).toMatchObject({ content, finish, role: 'assistant' })
    expect(view.calls.map(made => made.arguments)).toEqual(call === undefined ? [] : [call])
  })
})
