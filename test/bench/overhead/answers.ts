import { chatChunk, chatCompletion, sseEvent, tokens } from '../../support/upstreams/chat-bodies.ts'

/** What the upstream says at one of its paths: as a stream, one buffer an event, and whole. */
export type UpstreamAnswers = { events: readonly Buffer[]; whole: Buffer }

type Event = { type: string } & Record<string, unknown>

const named = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const buffers = (events: readonly string[]): Buffer[] => events.map(event => Buffer.from(event))
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

function chatAnswers(texts: readonly string[]): UpstreamAnswers {
  const { body } = chatCompletion(texts.join(''))
  const chunks = [
    chatChunk({ role: 'assistant', content: '' }),
    ...texts.map(content => chatChunk({ content })),
    chatChunk({}, 'stop'),
    {
      ...chatChunk({}),
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: texts.length, total_tokens: 5 + texts.length },
    },
  ]
  return { events: buffers([...chunks.map(sseEvent), 'data: [DONE]\n\n']), whole: json(body) }
}

function responsesAnswers(texts: readonly string[]): UpstreamAnswers {
  const text = texts.join('')
  const usage = {
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: texts.length,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 5 + texts.length,
  }
  const part = { type: 'output_text', text, annotations: [], logprobs: [] }
  const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] }
  const head = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    model: 'm',
    error: null,
    tools: [],
  }
  const begun = { ...head, status: 'in_progress', output: [], usage: null }
  const whole = { ...head, status: 'completed', output: [item], usage }
  const place = { item_id: item.id, output_index: 0, content_index: 0 }
  const events: Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...texts.map(delta => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ]
  const numbered = events.map((event, sequence_number) => named({ ...event, sequence_number }))
  return { events: buffers(numbered), whole: json(whole) }
}

function messagesAnswers(texts: readonly string[]): UpstreamAnswers {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null }
  const usage = { input_tokens: 5, output_tokens: texts.length }
  const events: Event[] = [
    {
      type: 'message_start',
      message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...texts.map(text => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: texts.length },
    },
    { type: 'message_stop' },
  ]
  const content = [{ type: 'text', text: texts.join('') }]
  return {
    events: buffers(events.map(named)),
    whole: json({ ...head, content, stop_reason: 'end_turn', usage }),
  }
}

/** One vector of the length that small embedding models have. */
const EMBEDDING = {
  object: 'list',
  data: [
    { object: 'embedding', index: 0, embedding: Array.from({ length: 384 }, (_, at) => Math.sin(at) / 20) },
  ],
  model: 'm',
  usage: { prompt_tokens: 5, total_tokens: 5 },
}

/** The upstream's answers of this many tokens at this path. */
export function answersOf(path: string, count: number): UpstreamAnswers {
  const texts = tokens(count)
  if (path.endsWith('/embeddings')) return { events: [], whole: json(EMBEDDING) }
  if (path.endsWith('/responses')) return responsesAnswers(texts)
  return path.endsWith('/messages') ? messagesAnswers(texts) : chatAnswers(texts)
}
