import type { OpenAI } from 'openai'
import { describe, expect, test } from 'vitest'
import { chatStream, errorAnswer, sseEvent, tokens } from '../../support/upstreams/chat-bodies.ts'
import { closedPort } from '../../support/upstreams/closed-port.ts'
import { connect, OPENAI_MAJORS, type OpenAiSdk } from '../../support/openai-majors.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import type { HttpAnswer, UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'

const QUESTION = {
  model: 'chat',
  messages: [{ role: 'user', content: 'Hello?' }],
} satisfies OpenAI.ChatCompletionCreateParams

const BAD_PARAMETER = errorAnswer(400, {
  message: "Invalid value for 'temperature': must be at most 2.",
  type: 'invalid_request_error',
  code: 'invalid_value',
})
const TOMORROW = errorAnswer(
  429,
  { message: 'Rate limit reached.', type: 'requests', code: 'rate_limit_exceeded' },
  { 'retry-after': '86400' },
)
const BROKEN = errorAnswer(500, { message: 'The server had an error.' })
const BROKEN_FOR_A_DAY = errorAnswer(503, { message: 'Down for maintenance.' }, { 'retry-after': '86400' })

/** Two endpoints that do the same, and a gateway that asks each of them once. */
async function startPair(answer: UpstreamAnswer, variables: Record<string, string> = {}) {
  const first = await startUpstream([answer])
  const second = await startUpstream([answer])
  const urls = { first: first.url, second: second.url }
  const settings = { retry_max_attempts: 2 }
  const gateway = await startGateway(configOf(urls, [['first/m'], ['second/m']], settings), variables)
  return {
    gateway,
    asked: () => [first.calls(), second.calls()],
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await first.close()
      await second.close()
    },
  }
}

async function thrownBy(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

type Row = {
  name: string
  className: 'BadRequestError' | 'NotFoundError' | 'RateLimitError' | 'InternalServerError'
  status: number
  code: string
  answer: UpstreamAnswer
  body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>
  asked: readonly number[]
}

const every = { body: {}, asked: [1, 1] }
const nobody = { answer: chatStream(['never']), asked: [0, 0] }
const ROWS: readonly Row[] = [
  {
    name: 'no messages',
    className: 'BadRequestError',
    status: 400,
    code: 'invalid_request',
    body: { messages: [] },
    ...nobody,
  },
  {
    name: 'what every upstream refuses',
    className: 'BadRequestError',
    status: 400,
    code: 'rejected_by_upstream',
    answer: BAD_PARAMETER,
    ...every,
  },
  {
    name: 'an unknown model',
    className: 'NotFoundError',
    status: 404,
    code: 'model_not_found',
    body: { model: 'chit' },
    ...nobody,
  },
  {
    name: 'limits that end tomorrow',
    className: 'RateLimitError',
    status: 429,
    code: 'rate_limit_exceeded',
    answer: TOMORROW,
    ...every,
  },
  {
    name: 'broken upstreams',
    className: 'InternalServerError',
    status: 502,
    code: 'upstream_failed',
    answer: BROKEN,
    ...every,
  },
  {
    name: 'upstreams that are down for a day',
    className: 'InternalServerError',
    status: 502,
    code: 'upstream_failed',
    answer: BROKEN_FOR_A_DAY,
    ...every,
  },
  {
    name: 'upstreams that hang up',
    className: 'InternalServerError',
    status: 502,
    code: 'upstream_failed',
    answer: { fault: 'reset-before-headers' },
    ...every,
  },
]

const ERROR_EVENT = sseEvent({ error: { message: 'Backend lost.', type: 'server_error', code: null } })
const unfinished = chatStream(['Hel', 'lo'], { finish: null })
const CUTS: readonly { name: string; answer: HttpAnswer }[] = [
  { name: 'an error event', answer: { ...unfinished, chunks: [...(unfinished.chunks ?? []), ERROR_EVENT] } },
  { name: 'an end without a finish', answer: unfinished },
  { name: 'a broken connection', answer: { ...unfinished, end: 'reset' } },
]

describe.each(OPENAI_MAJORS)('the official client, $major, when things go wrong', ({ sdk }) => {
  test.each(ROWS)('throws $className once for $name', async ({ className, answer, body, ...expected }) => {
    await using pair = await startPair(answer)
    const client = connect(sdk, pair.gateway)
    const error = await thrownBy(client.chat.completions.create({ ...QUESTION, ...body }))
    expect(error).toBeInstanceOf(sdk[className])
    expect(error).toMatchObject({ status: expected.status, code: expected.code })
    expect(pair.asked()).toEqual(expected.asked)
    expect(pair.gateway.completed.length).toBeLessThanOrEqual(1)
  })

  test('throws the same where a stream was asked for', async () => {
    await using pair = await startPair(TOMORROW)
    const client = connect(sdk, pair.gateway)
    const error = await thrownBy(client.chat.completions.create({ ...QUESTION, stream: true }))
    expect(error).toBeInstanceOf(sdk.RateLimitError)
    expect((error as InstanceType<OpenAiSdk['APIError']>).headers?.get('retry-after')).toBe('86400')
    expect(pair.asked()).toEqual([1, 1])
  })

  test('throws InternalServerError once where nothing listens', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/v1`
    await using gateway = await startGateway(configOf({ gone: url }, [['gone/m']]))
    const error = await thrownBy(connect(sdk, gateway).chat.completions.create(QUESTION))
    expect(error).toBeInstanceOf(sdk.InternalServerError)
    await expect.poll(() => gateway.completed.length).toBe(1)
  })

  test('throws AuthenticationError for a wrong client key, and asks nobody', async () => {
    await using pair = await startPair(chatStream(['secret']), { BACKSTOP_CLIENT_KEYS: 'right,also-right' })
    const create = (key: string) => connect(sdk, pair.gateway, key).chat.completions.create(QUESTION)
    const error = await thrownBy(create('wrong'))
    expect(error).toBeInstanceOf(sdk.AuthenticationError)
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' })
    expect(pair.asked()).toEqual([0, 0])
    expect((await create('also-right')).choices[0]?.message.content).toBe('secret')
  })

  test.each(CUTS)('throws APIError after the tokens that $name cuts off', async ({ answer }) => {
    await using pair = await startPair(answer)
    const stream = await connect(sdk, pair.gateway).chat.completions.create({ ...QUESTION, stream: true })
    let content = ''
    const read = async (): Promise<void> => {
      for await (const { choices } of stream) content += choices[0]?.delta.content ?? ''
    }
    const error = await thrownBy(read())
    expect(error).toBeInstanceOf(sdk.APIError)
    expect(error).toMatchObject({ code: 'stream_cut', type: 'upstream_error' })
    expect(content).toBe('Hello')
    expect(pair.asked()).toEqual([1, 0])
    await expect.poll(() => pair.gateway.completed.map(({ outcome }) => outcome)).toEqual(['cut'])
  })

  test('waits a short time that is stated, and succeeds', async () => {
    const busy = errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '1' })
    await using upstream = await startUpstream([busy, chatStream(['at last'])])
    const settings = { retry_max_attempts: 1 }
    await using gateway = await startGateway(configOf({ first: upstream.url }, [['first/m']], settings))
    const { choices } = await connect(sdk, gateway).chat.completions.create(QUESTION)
    expect(choices[0]?.message.content).toBe('at last')
    await expect.poll(() => gateway.completed.map(({ status }) => status)).toEqual([429, 200])
  })
})

describe.each(OPENAI_MAJORS)('the official client, $major, leaving', ({ sdk }) => {
  const HANGING: HttpAnswer = { ...chatStream(tokens(2), { finish: null }), end: 'silence' }

  const NOTHING_LEFT = { outcomes: ['client-left'], sockets: 0, calls: 1, handlerErrors: [] }

  async function startHanging(answer: UpstreamAnswer) {
    const upstream = await startUpstream([answer])
    const gateway = await startGateway(configOf({ first: upstream.url }, [['first/m']]))
    const left = () => ({
      outcomes: gateway.completed.map(({ outcome }) => outcome),
      sockets: upstream.openSockets,
      calls: upstream.calls(),
      handlerErrors: gateway.handlerErrors,
    })
    async function close(): Promise<void> {
      await gateway.close()
      await upstream.close()
    }
    return { upstream, client: connect(sdk, gateway), left, [Symbol.asyncDispose]: close }
  }

  test('ends the call upstream by an abort in mid-stream', async () => {
    await using hanging = await startHanging(HANGING)
    const stream = await hanging.client.chat.completions.create({ ...QUESTION, stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort()
    expect(await hanging.upstream.requests[0]?.ended).toBe('aborted')
    await expect.poll(hanging.left).toEqual(NOTHING_LEFT)
  })

  test('ends the call upstream by leaving its loop', async () => {
    await using hanging = await startHanging(HANGING)
    const stream = await hanging.client.chat.completions.create({ ...QUESTION, stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    expect(await hanging.upstream.requests[0]?.ended).toBe('aborted')
    await expect.poll(hanging.left).toEqual(NOTHING_LEFT)
  })

  test.each([true, false])('ends the call upstream by an abort before the first token', async stream => {
    await using hanging = await startHanging({ fault: 'no-response' })
    const disconnect = new AbortController()
    const { signal } = disconnect
    const thrown = thrownBy(hanging.client.chat.completions.create({ ...QUESTION, stream }, { signal }))
    await expect.poll(() => hanging.upstream.calls()).toBe(1)
    disconnect.abort()
    expect(await thrown).toBeInstanceOf(sdk.APIUserAbortError)
    expect(await hanging.upstream.requests[0]?.ended).toBe('aborted')
    await expect.poll(hanging.left).toEqual(NOTHING_LEFT)
  })
})
