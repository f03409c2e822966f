/** One kind of request that is measured. */
export type Row = {
  name: string
  path: string
  body: object
  /** What the last bytes of its answer hold, from the upstream itself and from any that translates. */
  endsWith: string
  /** How many a measurement takes at least, so that each is long enough to be one. */
  requests: number
  /** What of the answer is timed: the first byte of a stream, or all of it. */
  timed: 'first byte' | 'answer'
  /** Where the peer calls the upstream by; null = it does not serve this. */
  peer: string | null
}

const messages = [{ role: 'user', content: 'Name sixty words, and say no more than these words.' }]

const chat = (model: string, stream: boolean) => ({
  path: '/v1/chat/completions',
  body: {
    model,
    messages,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  },
  endsWith: stream ? 'data: [DONE]' : '"usage":',
  peer: 'openai',
})

const responses = (model: string) => ({
  path: '/v1/responses',
  body: { model, input: messages[0]?.content, stream: true },
  endsWith: '"usage":',
  requests: 100,
  timed: 'first byte' as const,
})

const anthropic = (model: string) => ({
  path: '/v1/messages',
  body: { model, messages, max_tokens: 1_000, stream: true },
  endsWith: 'message_stop',
  requests: 100,
  timed: 'first byte' as const,
})

/**
 * `plain…` is a model whose host speaks chat completions alone, `native…` one whose host speaks every API, `streamed…` one
 * that is always asked for a stream.
 */
export const ROWS: readonly Row[] = [
  { name: 'chat, streamed, 60 tokens', ...chat('plain60', true), requests: 100, timed: 'first byte' },
  { name: 'chat, streamed, 2,000 tokens', ...chat('plain2000', true), requests: 6, timed: 'first byte' },
  { name: 'chat, whole', ...chat('plain60', false), requests: 200, timed: 'answer' },
  {
    name: 'chat, whole, added up',
    ...chat('streamed60', false),
    requests: 200,
    timed: 'answer',
  },
  { name: 'responses, native', ...responses('native60'), peer: 'openai' },
  { name: 'responses, translated', ...responses('plain60'), peer: null },
  { name: 'messages, native', ...anthropic('native60'), peer: 'anthropic' },
  { name: 'messages, translated', ...anthropic('plain60'), peer: null },
  {
    name: 'embeddings',
    path: '/v1/embeddings',
    body: { model: 'vectors1', input: 'A short text.' },
    endsWith: 'usage',
    requests: 200,
    timed: 'answer',
    peer: 'openai',
  },
]
