import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, streamText, tool, type ModelMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { chatStream, errorAnswer, sseEvent, tokens } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { CALLS, indexlessToolStream } from '../../support/tool-calls.ts'
import type { HttpAnswer, UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'

const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })
const LIMITED = errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '86400' })

/** Tool results go back with a session id: without one, a later round would not be allowed to fall back. */
const HEADERS = { 'x-backstop-session': 'session-of-a-test' }

async function startChain(primary: readonly UpstreamAnswer[], backup: readonly UpstreamAnswer[]) {
  const upstream = await startUpstream(primary)
  const second = await startUpstream(backup)
  const urls = { primary: upstream.url, backup: second.url }
  // One attempt for each of the two tiers: nothing is waited out.
  const settings = { retry_max_attempts: 2 }
  const gateway = await startGateway(configOf(urls, [['primary/m'], ['backup/m']], settings))
  const provider = createOpenAICompatible({
    name: 'backstop',
    baseURL: `${gateway.url}/v1`,
    headers: HEADERS,
  })
  return {
    gateway,
    upstream,
    model: provider('chat'),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await upstream.close()
      await second.close()
    },
  }
}

const weather = tool({
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: ({ city }) => `rain in ${city}`,
})

/** What a stream holds in the end: its text, and every error that it told of. */
async function readParts({ fullStream }: Pick<ReturnType<typeof streamText>, 'fullStream'>) {
  const errors: unknown[] = []
  let text = ''
  for await (const part of fullStream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'error') errors.push(part.error)
  }
  return { text, errors }
}

const quiet = { onError: () => undefined }
const GOOD = chatStream(['Guten ', 'Tag 👋'], { model: 'backup-2' })

describe('the AI SDK', () => {
  test('generates text through a fallback', async () => {
    await using chain = await startChain([OVERLOADED], [GOOD])
    const { text, finishReason, response, usage } = await generateText({ model: chain.model, prompt: 'Hi' })
    expect(text).toBe('Guten Tag 👋')
    expect(finishReason).toBe('stop')
    expect(response.modelId).toBe('backup-2')
    expect(response.headers?.['x-backstop-served-by']).toBe('backup/m')
    expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
    expect(chain.upstream.calls()).toBe(1)
  })

  test('streams text through a fallback', async () => {
    await using chain = await startChain([OVERLOADED], [GOOD])
    const result = streamText({ model: chain.model, prompt: 'Hi' })
    expect(await readParts(result)).toEqual({ text: 'Guten Tag 👋', errors: [] })
    expect(await result.finishReason).toBe('stop')
    expect((await result.response).modelId).toBe('backup-2')
  })

  test.each(['generated', 'streamed'])('calls tools and hands their results back when %s', async way => {
    const answers = [indexlessToolStream(), chatStream(['Rain everywhere.'])]
    await using chain = await startChain(answers, [GOOD])
    const { model } = chain
    const messages: ModelMessage[] = [{ role: 'user', content: 'Rome and Bern?' }]
    const question = { model, messages, tools: { weather }, maxRetries: 0 }
    const isEnough = ({ steps }: { steps: readonly unknown[] }): boolean => steps.length === 2
    const options = { ...question, stopWhen: isEnough }
    const steps = way === 'streamed' ? await streamText(options).steps : (await generateText(options)).steps
    const [first, second] = steps
    expect(first?.toolCalls.map(({ toolCallId, input }) => ({ id: toolCallId, input }))).toEqual(
      CALLS.map(call => ({ id: call.id, input: JSON.parse(call.arguments) as unknown })),
    )
    expect(first?.toolResults.map(({ output }) => output)).toEqual(['rain in Rome', 'rain in Bern'])
    expect(second?.text).toBe('Rain everywhere.')
    expect(chain.upstream.requests[1]?.body.messages).toHaveLength(4)
  })

  test.each([
    { name: 'limits', answer: LIMITED, statusCode: 429 },
    { name: 'broken upstreams', answer: OVERLOADED, statusCode: 502 },
  ])('throws the error of $name where every endpoint fails', async ({ answer, statusCode }) => {
    await using chain = await startChain([answer], [answer])
    // Unlike OpenAI's own clients it knows nothing of `x-should-retry`.
    const asked = generateText({ model: chain.model, prompt: 'Hi', maxRetries: 0 })
    const error: unknown = await asked.then(() => null).catch((thrown: unknown) => thrown)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode, message: expect.stringContaining("No endpoint of 'chat'") })
  })

  test('does not ask again what is the request’s own fault', async () => {
    await using chain = await startChain([GOOD], [GOOD])
    const asked = generateText({
      model: chain.model,
      prompt: 'Hi',
      headers: { 'x-backstop-buffer': 'maybe' },
    })
    await expect(asked).rejects.toMatchObject({ statusCode: 400, isRetryable: false })
    expect(chain.upstream.calls()).toBe(0)
  })

  const unfinished = chatStream(['Half an ', 'answer'], { finish: null })
  const event = sseEvent({ error: { message: 'Backend lost.', type: 'server_error', code: null } })
  const cuts: { name: string; answer: HttpAnswer }[] = [
    { name: 'an error event', answer: { ...unfinished, chunks: [...(unfinished.chunks ?? []), event] } },
    { name: 'an end without a finish', answer: unfinished },
    { name: 'a broken connection', answer: { ...unfinished, end: 'reset' } },
  ]

  test.each(cuts)('never takes for success what $name cut off', async ({ answer }) => {
    await using chain = await startChain([answer], [GOOD])
    const result = streamText({ model: chain.model, prompt: 'Hi', ...quiet })
    const { text, errors } = await readParts(result)
    expect(text).toBe('Half an answer')
    expect(errors).toHaveLength(1)
    expect(JSON.stringify(errors[0])).toContain('fragment')
    expect(await result.finishReason).toBe('error')
    expect(chain.upstream.calls()).toBe(1)
  })

  test.each(cuts)('gets a whole answer although $name cut the first one off', async ({ answer }) => {
    await using chain = await startChain([answer], [GOOD])
    const { text } = await generateText({ model: chain.model, prompt: 'Hi' })
    expect(text).toBe('Guten Tag 👋')
  })

  test('ends the call upstream by an abort in mid-stream', async () => {
    await using chain = await startChain(
      [{ ...chatStream(tokens(2), { finish: null }), end: 'silence' }],
      [GOOD],
    )
    const disconnect = new AbortController()
    const { signal: abortSignal } = disconnect
    const { textStream } = streamText({ model: chain.model, prompt: 'Hi', abortSignal, ...quiet })
    for await (const text of textStream) if (text) disconnect.abort()
    expect(await chain.upstream.requests[0]?.ended).toBe('aborted')
    await expect.poll(() => chain.gateway.completed.map(({ outcome }) => outcome)).toEqual(['client-left'])
    await expect.poll(() => chain.upstream.openSockets).toBe(0)
  })

  test('ends the call upstream by an abort before the first token', async () => {
    await using chain = await startChain([{ fault: 'no-response' }], [GOOD])
    const disconnect = new AbortController()
    const { signal: abortSignal } = disconnect
    const asked = generateText({ model: chain.model, prompt: 'Hi', abortSignal })
    const thrown = asked.then(() => null).catch((error: unknown) => error)
    await expect.poll(() => chain.upstream.calls()).toBe(1)
    disconnect.abort()
    expect(await thrown).toMatchObject({ name: 'AbortError' })
    expect(await chain.upstream.requests[0]?.ended).toBe('aborted')
    await expect.poll(() => chain.gateway.completed.map(({ outcome }) => outcome)).toEqual(['client-left'])
  })
})
