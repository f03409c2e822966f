import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  constants,
} from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../lambdas/contract.ts'
import { startGateway } from '../support/start-gateway.ts'
import { chatCompletion, chatStream } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import type { HttpAnswer } from '../support/upstreams/upstream-answer.ts'
import { messageEvents, nativeMessage } from './messages/native-bodies.ts'
import { nativeEvents, nativeResponse } from './responses/native-bodies.ts'

const GZIP_TRAILER = 8
const said = 'Compressed, and read all the same.'
const textOf = ({ chunks = [], body = '' }: HttpAnswer): string =>
  chunks.length > 0 ? chunks.map(String).join('') : typeof body === 'string' ? body : JSON.stringify(body)

const BODIES: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: gzipSync,
  'gzip without its trailer': text => gzipSync(text).subarray(0, -GZIP_TRAILER),
  deflate: deflateSync,
  'deflate without a zlib header': text => deflateRawSync(text),
  br: brotliCompressSync,
  zstd: text => zstdCompressSync(text),
}

const messages = [{ role: 'user', content: 'Hi' }]
const embeddingList = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.5, 1] }],
  usage: { prompt_tokens: 1, total_tokens: 1 },
}

type Api = { name: string; path: string; body: object; wire?: string; whole: string; stream: string | null }
const CHAT = { whole: textOf(chatCompletion(said)), stream: textOf(chatStream([said])) }
const APIS: readonly Api[] = [
  { name: 'chat completions', path: '/v1/chat/completions', body: { messages }, ...CHAT },
  { name: 'responses', path: '/v1/responses', body: { input: 'Hi' }, ...CHAT },
  { name: 'messages', path: '/v1/messages', body: { messages, max_tokens: 9 }, ...CHAT },
  {
    name: 'responses, native',
    path: '/v1/responses',
    body: { input: 'Hi' },
    wire: 'responses',
    whole: JSON.stringify(nativeResponse(said)),
    stream: nativeEvents([said]).join(''),
  },
  {
    name: 'messages, native',
    path: '/v1/messages',
    body: { messages, max_tokens: 9 },
    wire: 'messages',
    whole: JSON.stringify(nativeMessage(said)),
    stream: messageEvents([said]).join(''),
  },
  {
    name: 'embeddings',
    path: '/v1/embeddings',
    body: { input: 'Hi' },
    whole: JSON.stringify(embeddingList),
    stream: null,
  },
]

async function start({ wire, path }: Api, answer: HttpAnswer) {
  const upstream = await startUpstream([answer])
  const host = { baseUrl: upstream.url, key: false, ...(wire ? { wires: { [wire]: {} } } : {}) }
  const kind = path === '/v1/embeddings' ? { kind: 'embeddings' } : {}
  const gateway = await startGateway({
    providers: { host },
    models: { chat: { ...kind, tiers: [['host/m']] } },
  })
  return {
    upstream,
    ask: (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, prefix = '') =>
      fetch(`${gateway.url}${prefix}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await upstream.close()
    },
  }
}

const rows = APIS.flatMap(api =>
  Object.keys(BODIES).flatMap(encoding =>
    [true, false].flatMap(stream => (stream && api.stream === null ? [] : [{ api, encoding, stream }])),
  ),
)

test.each(rows)('an answer in $encoding is read, $api.name (stream: $stream)', async row => {
  const { api, encoding, stream } = row
  const bytes = BODIES[encoding]?.((stream ? api.stream : api.whole) ?? '') ?? Buffer.alloc(0)
  const half = Math.ceil(bytes.length / 2)
  await using chain = await start(api, {
    headers: {
      'content-type': stream ? 'text/event-stream' : 'application/json',
      'content-encoding': encoding.split(' ')[0] ?? '',
    },
    chunks: [bytes.subarray(0, half), bytes.subarray(half)],
  })
  const response = await chain.ask(JSON.stringify({ model: 'chat', stream, ...api.body }))
  const text = await response.text()
  expect(response.headers.get('x-backstop-chain')).toMatch(/^host\/m;ok;200;\d+$/)
  expect(text).toContain(api.path === '/v1/embeddings' ? '"embedding":[0.5,1]' : said)
})

const wholeOf = (api: Api): HttpAnswer => ({ body: JSON.parse(api.whole) as object as never })

describe.each(APIS)('a request, $name', api => {
  it.each(Object.entries(BODIES).filter(([name]) => !name.includes('trailer')))(
    'in %s is read',
    async (name, compress) => {
      await using chain = await start(api, wholeOf(api))
      const sent = new Uint8Array(compress(JSON.stringify({ model: 'chat', ...api.body })))
      const response = await chain.ask(sent, { 'content-encoding': name.split(' ')[0] ?? '' })
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    },
  )

  it('that would grow past the limit is refused, and not unpacked further', async () => {
    await using chain = await start(api, wholeOf(api))
    const bomb = gzipSync(`{"model":"chat","x":"${'0'.repeat(64 * MAX_BODY_BYTES)}"}`, {
      level: constants.Z_BEST_COMPRESSION,
    })
    const response = await chain.ask(new Uint8Array(bomb), { 'content-encoding': 'gzip' })
    expect(response.status).toBe(413)
    expect(await response.text()).toContain(`larger than ${MAX_BODY_BYTES} bytes`)
    expect(chain.upstream.calls()).toBe(0)
  })

  it('to //v1 is one to /v1', async () => {
    await using chain = await start(api, wholeOf(api))
    const response = await chain.ask(JSON.stringify({ model: 'chat', ...api.body }), {}, '/')
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  })
})

test.each([
  ['chat completions', { max_tokens: -1 }],
  ['chat completions', { max_completion_tokens: -1 }],
  ['responses', { max_output_tokens: -1 }],
  ['responses, native', { max_output_tokens: -1 }],
])('no limit of tokens is sent where -1 stands for none, %s, %j', async (name, fields) => {
  const api = APIS.find(one => one.name === name)
  if (!api) return expect.fail('no such API')
  await using chain = await start(api, wholeOf(api))
  const response = await chain.ask(JSON.stringify({ model: 'chat', ...api.body, ...fields }))
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  expect(chain.upstream.requests[0]?.text).not.toContain('-1')
})
