import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, Output, streamText, tool, type ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { chatChunk, chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import type { TestGateway } from '../../support/start-gateway.ts'
import { CALLS, indexlessToolStream, streamOf } from '../../support/tool-calls.ts'
import { BROKEN, startBrokenChain } from '../../support/broken-chain.ts'

const GOOD = chatStream(['Guten ', 'Tag 👋'], { model: 'backup-2' })

/** At its defaults: it speaks this API, and refers to items instead of sending them again. */
const modelOf = ({ url }: TestGateway) =>
  createOpenAI({
    apiKey: 'none',
    baseURL: `${url}/v1`,
    headers: { 'x-backstop-session': 'session-of-a-test' },
  })('chat')

const weather = tool({
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: ({ city }) => `rain in ${city}`,
})

/** A round that speaks before it calls its tools, and the one after it. */
const SPOKEN_ROUND = streamOf([
  chatChunk({ role: 'assistant', content: 'I look ' }),
  chatChunk({ content: 'it up.' }),
  ...CALLS.map(({ id, ...call }, index) =>
    chatChunk({ tool_calls: [{ index, id, type: 'function', function: { ...call } }] }),
  ),
  chatChunk({}, 'tool_calls'),
])

const twoSteps = ({ steps }: { steps: readonly unknown[] }): boolean => steps.length === 2

describe.each(BROKEN)('the AI SDK, where the first endpoint $name', ({ answer }) => {
  it('generates text', async () => {
    await using chain = await startBrokenChain({ first: [answer], isNative: true, second: [GOOD] })
    const { text, finishReason, usage } = await generateText({ model: modelOf(chain.gateway), prompt: 'Hi' })
    expect({ text, finishReason }).toEqual({ text: 'Guten Tag 👋', finishReason: 'stop' })
    expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
  })

  it('streams text', async () => {
    await using chain = await startBrokenChain({ first: [answer], isNative: true, second: [GOOD] })
    const result = streamText({ model: modelOf(chain.gateway), prompt: 'Hi' })
    expect(await result.text).toBe('Guten Tag 👋')
    expect(await result.finishReason).toBe('stop')
  })

  it.each(['generated', 'streamed'])('calls tools over two rounds when %s', async way => {
    await using chain = await startBrokenChain({
      first: [answer],
      isNative: true,
      second: [indexlessToolStream(), chatStream(['Rain everywhere.'])],
    })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Rome and Bern?' }]
    const options = {
      model: modelOf(chain.gateway),
      messages,
      tools: { weather },
      stopWhen: twoSteps,
    }
    const steps = way === 'streamed' ? await streamText(options).steps : (await generateText(options)).steps
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(['rain in Rome', 'rain in Bern'])
    expect(steps[1]?.text).toBe('Rain everywhere.')
  })

  it('gets structured output', async () => {
    await using chain = await startBrokenChain({
      first: [answer],
      isNative: true,
      second: [chatStream(['{"sky":', '"blue"}'])],
    })
    const schema = jsonSchema<{ sky: string }>({
      type: 'object',
      properties: { sky: { type: 'string' } },
      required: ['sky'],
      additionalProperties: false,
    })
    const { output } = await generateText({
      model: modelOf(chain.gateway),
      prompt: 'Hi',
      output: Output.object({ schema }),
    })
    expect(output).toEqual({ sky: 'blue' })
  })
})

describe('the AI SDK, which refers to what was said', () => {
  it.each(['generated', 'streamed'])('loses no turn when %s', async way => {
    await using chain = await startBrokenChain({ second: [SPOKEN_ROUND, chatStream(['Rain.']), GOOD] })
    const model = modelOf(chain.gateway)
    const messages: ModelMessage[] = [{ role: 'user', content: 'Rome and Bern?' }]
    const options = { model, messages, tools: { weather }, stopWhen: twoSteps, maxRetries: 0 }
    const { response } = way === 'streamed' ? streamText(options) : await generateText(options)
    const said = (await response).messages
    await generateText({
      model,
      messages: [...messages, ...said, { role: 'user', content: 'Thanks' }],
      maxRetries: 0,
    })
    const expected = [
      { role: 'user', content: 'Rome and Bern?' },
      { role: 'assistant', content: 'I look it up.', tool_calls: [{ id: 'call_rome' }, { id: 'call_bern' }] },
      { role: 'tool', tool_call_id: 'call_rome' },
      { role: 'tool', tool_call_id: 'call_bern' },
      { role: 'assistant', content: 'Rain.' },
      { role: 'user', content: 'Thanks' },
    ]
    expect(chain.backup.requests[1]?.body.messages).toMatchObject(expected.slice(0, 4))
    expect(chain.backup.requests[2]?.body.messages).toMatchObject(expected)
  })

  it('streams word by word where nothing is stored', async () => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const result = streamText({
      model: modelOf(chain.gateway),
      prompt: 'Hi',
      providerOptions: { openai: { store: false } },
    })
    const deltas: string[] = []
    for await (const text of result.textStream) deltas.push(text)
    expect(deltas.join('|')).toBe('Guten |Tag 👋')
  })
})

describe('the AI SDK', () => {
  it('takes a cut stream for an error', async () => {
    const cut = chatStream(['Half an ', 'answer'], { finish: null })
    await using chain = await startBrokenChain({ first: [cut], second: [GOOD] })
    const errors: unknown[] = []
    const result = streamText({
      model: modelOf(chain.gateway),
      prompt: 'Hi',
      onError: ({ error }) => void errors.push(error),
    })
    await result.consumeStream()
    expect(JSON.stringify(errors)).toContain('fragment')
    expect(await result.finishReason.then(String, String)).not.toBe('stop')
  })

  it('throws what nobody could answer', async () => {
    const overloaded = errorAnswer(503, { message: 'The model is overloaded.' })
    await using chain = await startBrokenChain({ first: [overloaded], second: [overloaded] })
    const asked = generateText({ model: modelOf(chain.gateway), prompt: 'Hi', maxRetries: 0 })
    await expect(asked).rejects.toMatchObject({
      statusCode: 502,
      message: expect.stringContaining("No endpoint of 'chat'"),
    })
  })
})
