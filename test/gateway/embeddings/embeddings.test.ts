import * as fc from 'fast-check'
import { OpenAI } from 'openai'
import { afterEach, describe, expect, it, test } from 'vitest'
import { errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { startGateway, type TestGateway } from '../../support/start-gateway.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { BROKEN } from '../../support/broken-chain.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

/** Values that a 32-bit float holds exactly, and so does every text of them. */
const VECTORS = [
  [0.5, -1.25, 3, 0.10000000149011612],
  [1, 2, 4, -8],
]

function base64Of(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64')
}

const listOf = (
  embeddings: readonly (string | readonly number[])[],
  fields: object = {},
): UpstreamAnswer => ({
  status: 200,
  body: {
    object: 'list',
    model: 'embed-1',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 7, total_tokens: 7 },
    ...fields,
  },
})

const FLOATS = listOf(VECTORS)
const ENCODED = listOf(VECTORS.map(base64Of))

/** An alias of embeddings over hosts of one model, and an alias of chats. */
async function start(scripts: readonly (readonly UpstreamAnswer[])[], keys?: Record<string, string>) {
  const clock = createVirtualClock()
  const upstreams: ScriptedUpstream[] = []
  for (const script of scripts) {
    const upstream = await startUpstream(script, { clock })
    upstreams.push(upstream)
    // A host without a script is not there at all.
    if (script.length === 0) await upstream.close()
    else open.push(upstream)
  }
  const providers = Object.fromEntries(
    upstreams.map(({ url }, index) => [`host${index}`, { baseUrl: url, ...(keys ? {} : { key: false }) }]),
  )
  const gateway = await startGateway(
    {
      providers,
      models: {
        embed: { kind: 'embeddings', tiers: [upstreams.map((_, index) => `host${index}/embed-1`)] },
        chat: { tiers: [['host0/m']] },
      },
      settings: { retry_base_ms: 0 },
    },
    keys,
    { clock },
  )
  open.push(gateway)
  return { gateway, upstreams }
}

const connect = ({ url }: TestGateway) => new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })

const post = (gateway: TestGateway, body: object, path = '/v1/embeddings') =>
  fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'embed', input: ['one', 'two'], ...body }),
  })

describe.each(BROKEN)('the official client, where the first host $name', ({ answer }) => {
  it.each([
    ['floats', FLOATS],
    ['base64', ENCODED],
  ])('gets vectors in both encodings from a second one that knows only %s', async (_, good) => {
    const { gateway, upstreams } = await start([answer ? [answer] : [], [good]])
    const client = connect(gateway)
    const asked = { model: 'embed', input: ['one', 'two'] }
    const floats = await client.embeddings.create({ ...asked, encoding_format: 'float' })
    expect(floats.data.map(({ embedding }) => embedding)).toEqual(VECTORS)
    // By default this client asks for base64 and decodes it itself.
    const decoded = await client.embeddings.create(asked)
    expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual(VECTORS)
    const raw = await post(gateway, { encoding_format: 'base64' })
    const body = (await raw.json()) as { data: { embedding: string }[]; usage: object }
    expect(body.data.map(({ embedding }) => embedding)).toEqual(VECTORS.map(base64Of))
    expect(body.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 })
    expect(raw.headers.get('x-backstop-served-by')).toBe('host1/embed-1')
    expect(upstreams[1]?.requests[0]?.body).toMatchObject({ model: 'embed-1', input: ['one', 'two'] })
  })
})

describe('an answer without the vectors that were asked for', () => {
  test.each([
    ['no data', listOf([])],
    ['too few', listOf([[1, 2]])],
    ['one that is empty', listOf([[], []])],
    [
      'two of different lengths',
      listOf([
        [1, 2],
        [1, 2, 3],
      ]),
    ],
    ['half a number', listOf(['AAAA', 'AAAA'])],
    ['one index twice', listOf([], { data: [0, 0].map(index => ({ index, embedding: [1, 2] })) })],
    ['an error in their place', { status: 200, body: { error: { message: 'No model loaded.', code: 500 } } }],
    ['a chat', { status: 200, body: { choices: [{ message: { content: 'Hi' } }] } }],
  ])('is a failure, and the next host is called: %s', async (_, bad) => {
    const { gateway, upstreams } = await start([[bad], [FLOATS]])
    const response = await post(gateway, {})
    expect([response.status, upstreams[1]?.calls()]).toEqual([200, 1])
  })

  it('is one whose vectors are not as long as was asked', async () => {
    const { gateway } = await start([
      [FLOATS],
      [
        listOf([
          [1, 2],
          [3, 4],
        ]),
      ],
    ])
    const response = await post(gateway, { dimensions: 2 })
    expect(response.headers.get('x-backstop-served-by')).toBe('host1/embed-1')
    expect(response.headers.get('x-backstop-chain')).toContain('host0/embed-1;malformed_response')
  })

  it('is told where nobody has them', async () => {
    const { gateway } = await start([[listOf([])], [listOf([])]])
    const response = await post(gateway, {})
    expect(response.status).toBe(502)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toContain('does not hold the vectors that were asked for')
  })
})

describe('the vectors of an answer', () => {
  const [one = [], two = []] = VECTORS
  // https://github.com/pydantic/pydantic-ai/issues/7284, https://github.com/doobidoo/mcp-memory-service/pull/612
  test.each([
    [
      'come in another order',
      [
        { index: 1, embedding: two },
        { index: 0, embedding: one },
      ],
    ],
    ['have no places', [{ embedding: one }, { embedding: two }]],
    [
      'come in both formats',
      [
        { index: 0, embedding: base64Of(one) },
        { index: 1, embedding: two },
      ],
    ],
  ])('belong to their inputs although they %s', async (_, data) => {
    const { gateway } = await start([[listOf([], { data })]])
    const { data: vectors } = await connect(gateway).embeddings.create({
      model: 'embed',
      input: ['one', 'two'],
      encoding_format: 'float',
    })
    expect(vectors.map(({ index, embedding }) => [index, embedding])).toEqual([
      [0, one],
      [1, two],
    ])
  })

  it('are exact in both formats, whatever numbers they hold', async () => {
    const { gateway, upstreams } = await start([[FLOATS]])
    const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(numbers, fc.boolean(), async (vector, isEncoded) => {
        const sent = vector.map(value => (Object.is(value, -0) ? 0 : value))
        upstreams[0]?.play([listOf([isEncoded ? base64Of(sent) : sent])])
        for (const format of ['float', 'base64']) {
          const response = await post(gateway, { input: 'one', encoding_format: format })
          const { data } = (await response.json()) as { data: { embedding: string | number[] }[] }
          expect(data[0]?.embedding).toEqual(format === 'float' ? sent : base64Of(sent))
        }
      }),
      { numRuns: 50 },
    )
  })

  it('are as many as a large batch has inputs, by one call', async () => {
    const input = Array.from({ length: 2_048 }, (_, place) => `text ${place}`)
    const { gateway, upstreams } = await start([[listOf(input.map((_, place) => [place, 0.5]))]])
    const { data } = await connect(gateway).embeddings.create({ model: 'embed', input })
    expect(data.map(({ embedding }) => embedding[0])).toEqual(input.map((_, place) => place))
    expect(upstreams[0]?.calls()).toBe(1)
  })

  it('of a batch that a host finds too large are told by its own words', async () => {
    const refusal = errorAnswer(400, {
      message: "'$.input' is invalid. Array too long: maximum length 2048, got 2049.",
      type: 'invalid_request_error',
    })
    const { gateway } = await start([[refusal], [refusal]])
    const response = await post(gateway, { input: Array.from({ length: 2_049 }, () => 'text') })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('maximum length 2048')
  })

  it('never come from another model: a second tier is refused when the gateway starts', async () => {
    const models = { embed: { kind: 'embeddings', tiers: [['a/one'], ['b/other']] } }
    const providers = { a: { baseUrl: 'https://a.example/v1' }, b: { baseUrl: 'https://b.example/v1' } }
    await expect(startGateway({ providers, models })).rejects.toThrow(/vectors of different models/)
  })
})

describe('a host', () => {
  it('is called again without the format that it refuses', async () => {
    const refusal = errorAnswer(400, {
      message: 'Unrecognized request argument supplied: encoding_format',
      type: 'invalid_request_error',
    })
    const { gateway, upstreams } = await start([[refusal, FLOATS]])
    const response = await post(gateway, { encoding_format: 'base64' })
    const body = (await response.json()) as { data: { embedding: string }[] }
    expect(body.data[0]?.embedding).toBe(base64Of(VECTORS[0] ?? []))
    expect(upstreams[0]?.requests.map(({ body: sent }) => sent.encoding_format)).toEqual([
      'base64',
      undefined,
    ])
  })

  it('never sees a null, which means to OpenAI what was not sent', async () => {
    const { gateway, upstreams } = await start([[FLOATS]])
    expect((await post(gateway, { encoding_format: null, dimensions: null })).status).toBe(200)
    expect(upstreams[0]?.requests[0]?.body).toEqual({ model: 'embed-1', input: ['one', 'two'] })
  })

  it('gets the next key where one is spent', async () => {
    const limited = errorAnswer(429, { message: 'Rate limit reached', type: 'rate_limit_error' })
    const { gateway, upstreams } = await start([[limited, FLOATS]], { HOST0_API_KEY: 'key-one,key-two' })
    expect((await post(gateway, {})).status).toBe(200)
    expect(upstreams[0]?.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-one',
      'Bearer key-two',
    ])
  })

  it('is probed by embedding one word, and is called again when that succeeds', async () => {
    const gone = errorAnswer(404, { message: 'The model does not exist.', code: 'model_not_found' })
    const { gateway, upstreams } = await start([[gone, gone, listOf([[1, 2]])]])
    for (const status of [404, 404]) expect((await post(gateway, { input: 'one' })).status).toBe(status)
    await gateway.settled()
    expect((await gateway.probe()).probes).toMatchObject([{ endpoint: 'host0/embed-1', outcome: 'ok' }])
    const sent = upstreams[0]?.requests.at(-1)
    expect([sent?.path, sent?.body]).toEqual(['/v1/embeddings', { model: 'embed-1', input: 'ok' }])
    expect((await post(gateway, { input: 'one' })).status).toBe(200)
  })
})

describe('a request', () => {
  test.each([
    ['a text', 'one', [[1, 2]]],
    ['tokens', [1, 2, 3], [[1, 2]]],
    [
      'lists of tokens',
      [[1, 2], [3]],
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ])('may hold %s', async (_, input, vectors) => {
    const { gateway, upstreams } = await start([[listOf(vectors)]])
    expect((await post(gateway, { input })).status).toBe(200)
    expect(upstreams[0]?.requests[0]?.body.input).toEqual(input)
  })

  test.each([
    ['nothing', { input: undefined }, "'input' is missing"],
    ['an empty text', { input: '' }, "'input'"],
    ['an unknown format', { encoding_format: 'hex' }, "'encoding_format'"],
  ])('is refused with %s', async (_, fields, message) => {
    const { gateway, upstreams } = await start([[FLOATS]])
    const response = await post(gateway, fields)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(response.status).toBe(400)
    expect(error.message).toContain(message)
    expect(upstreams[0]?.calls()).toBe(0)
  })

  it('is refused where the alias does something else, either way', async () => {
    const { gateway, upstreams } = await start([[FLOATS]])
    const wrongWay = await post(gateway, { model: 'chat' })
    const messages = [{ role: 'user', content: 'Hi' }]
    const otherWay = await post(gateway, { model: 'embed', messages }, '/v1/chat/completions')
    expect([wrongWay.status, otherWay.status, upstreams[0]?.calls()]).toEqual([400, 400, 0])
    expect(await wrongWay.text()).toContain('Use POST /v1/chat/completions')
    expect(await otherWay.text()).toContain('Use POST /v1/embeddings')
  })

  it('leaves the line that every request leaves', async () => {
    const { gateway } = await start([[FLOATS]])
    await post(gateway, {})
    await gateway.settled()
    expect(gateway.completed).toMatchObject([
      {
        alias: 'embed',
        outcome: 'answered',
        servedBy: 'host0/embed-1',
        usage: { promptTokens: 7, totalTokens: 7 },
      },
    ])
  })
})
