import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { chatChunk, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { nativeEvents } from '../responses/native-bodies.ts'

/** What an upstream repeats, as it writes it. */
export type Echo = { key: string; prompt: string }

type Surface = 'chat' | 'responses' | 'messages' | 'embeddings'
export type Place = (echo: Echo, surface: Surface) => HttpAnswer

const SSE = { 'content-type': 'text/event-stream' }
const HTML = { 'content-type': 'text/html' }

const words = ({ key, prompt }: Echo): string =>
  `Incorrect API key provided: ${key}. The request said "${prompt}", which cannot be read.`

const inError = (message: string): object => ({ error: { message, type: 'invalid_request_error' } })

/** What opens a stream in the words of an API, with output. */
const begun = (surface: Surface): string[] => {
  if (surface === 'responses') return nativeEvents(['Well, ', 'then']).slice(0, 5)
  if (surface !== 'messages') return [sseEvent(chatChunk({ role: 'assistant', content: 'Well, ' }))]
  const start = {
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', content: [] },
  }
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Well' } }
  return [start, block, delta].map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** Where upstreams put it. */
export const PLACES: Readonly<Record<string, Place>> = {
  'a refused key': echo => ({ status: 401, body: JSON.stringify(inError(words(echo))) }),
  'a refused request': echo => ({
    status: 400,
    body: JSON.stringify({ detail: [{ loc: ['body', 'messages'], msg: words(echo), type: 'value_error' }] }),
  }),
  'a missing model': echo => ({
    status: 404,
    body: JSON.stringify(inError(`No such model. ${words(echo)}`)),
  }),
  'a server error in text': echo => ({
    status: 500,
    headers: { 'content-type': 'text/plain' },
    body: words(echo),
  }),
  'a page': echo => ({
    status: 502,
    headers: HTML,
    body: `<html><head><title>${words(echo)}</title></head><body>${words(echo)}</body></html>`,
  }),
  'a code and a field': ({ key, prompt }) => ({
    status: 422,
    body: JSON.stringify({
      error: { message: 'Unprocessable.', code: key, type: prompt, param: `${key} ${prompt}` },
    }),
  }),
  'an error quoted in an error': echo => ({
    status: 503,
    body: JSON.stringify({
      error: { message: 'Provider returned error', metadata: { raw: JSON.stringify(inError(words(echo))) } },
    }),
  }),
  headers: echo => ({
    status: 429,
    headers: {
      'x-amzn-errortype': echo.key.replaceAll(/[^\x20-\x7e]/g, '?'),
      'x-request-id': echo.key.replaceAll(/[^\x20-\x7e]/g, '?'),
      'retry-after': '1',
      'x-ratelimit-reset-requests': encodeURIComponent(echo.prompt).slice(0, 200),
    },
    body: JSON.stringify(inError('Slow down.')),
  }),
  'an error in a 200': echo => ({ status: 200, body: JSON.stringify(inError(words(echo))) }),
  'an error that opens a stream': echo => ({
    headers: SSE,
    chunks: [`event: error\ndata: ${JSON.stringify(inError(words(echo)))}\n\n`],
  }),
  'an error behind output': (echo, surface) => ({
    headers: SSE,
    chunks: [
      ...begun(surface),
      `event: error\ndata: ${JSON.stringify({ type: 'error', ...inError(words(echo)) })}\n\n`,
    ],
  }),
  'words behind output': (echo, surface) => ({
    headers: SSE,
    chunks: [...begun(surface), `${words(echo).replaceAll(/\s+/g, ' ')}\n\n`, 'data: [DONE]\n\n'],
  }),
}
