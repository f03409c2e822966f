import Anthropic from '@anthropic-ai/sdk'
import { OpenAI } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import shippedConfig from '#gateway-config'
import { createLocalLog } from '../../../infra/local/local-log.ts'
import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { type LocalGateway, startLocalGateway } from '../../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'

let gateway: LocalGateway
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
  const memory = createRequestMemory()
  gateway = await startLocalGateway({
    config: parseGatewayConfig(shippedConfig),
    variables: {},
    port: 0,
    memory,
    log: createLocalLog({ memory, json: false, write: () => {} }),
    onHandlerError: error => expect.fail(String(error)),
    pace: 0,
  })
  const { url } = gateway.facts
  openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 })
})
afterAll(() => gateway.close(0))

const QUESTION = 'What is a backstop?'
/** By alias, the endpoint that answers; in the client's own API where its row says that it speaks it. */
const RESPONSES = [
  ['llama-3.3-70b', 'openrouter/meta-llama/llama-3.3-70b-instruct:free', 'native'],
  ['demo-rate-limited', 'simulated/well', 'translated'],
] as const
const MESSAGES = [
  ['claude', 'anthropic/claude-sonnet-4-5', 'native'],
  ['gpt-4o', 'groq/llama-3.1-8b-instant', 'translated'],
  ['demo-over-capacity', 'simulated/well', 'translated'],
] as const

const ofUpstream = /_simulated-/
const servedBy = (response: Response): string | null => response.headers.get('x-backstop-served-by')

describe('without any key', () => {
  test.each(RESPONSES)('%s answers the Responses API by %s, %s', async (model, endpoint, lane) => {
    const asked = { model, input: QUESTION }
    const final = await openai.responses.stream(asked).finalResponse()
    const { data, response } = await openai.responses.create(asked).withResponse()
    expect(servedBy(response)).toBe(endpoint)
    for (const answer of [final, data]) {
      expect(answer.status).toBe('completed')
      expect(answer.output_text).toContain(`answer from ${endpoint}`)
      expect(answer.output_text).toContain(QUESTION)
      expect(ofUpstream.test(answer.id)).toBe(lane === 'native')
      expect(answer.usage?.output_tokens).toBeGreaterThan(10)
    }
  })

  test.each(MESSAGES)('%s answers the Messages API by %s, %s', async (model, endpoint, lane) => {
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const asked = { model, max_tokens: 200, messages }
    const final = await anthropic.messages.stream(asked).finalMessage()
    const { data, response } = await anthropic.messages.create(asked).withResponse()
    expect(servedBy(response)).toBe(endpoint)
    for (const answer of [final, data]) {
      expect(answer.stop_reason).toBe('end_turn')
      expect(JSON.stringify(answer.content)).toContain(`answer from ${endpoint}`)
      expect(ofUpstream.test(answer.id)).toBe(lane === 'native')
    }
  })

  test('a stream comes word by word, and a limit cuts it short', async () => {
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const deltas: string[] = []
    const stream = anthropic.messages.stream({ model: 'claude', max_tokens: 5, messages })
    stream.on('text', text => void deltas.push(text))
    expect((await stream.finalMessage()).stop_reason).toBe('max_tokens')
    expect(deltas).toHaveLength(5)
    const final = await openai.responses
      .stream({ model: 'llama-3.3-70b', input: QUESTION, max_output_tokens: 16 })
      .finalResponse()
    expect(final).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })

  test('a demanded tool is called in both APIs, streamed and whole', async () => {
    const schema = { type: 'object' as const, properties: { city: { type: 'string' } } }
    const messages = {
      model: 'claude',
      max_tokens: 100,
      messages: [{ role: 'user' as const, content: QUESTION }],
      tools: [{ name: 'weather', input_schema: schema }],
      tool_choice: { type: 'any' as const },
    }
    const message = await anthropic.messages.create(messages)
    const streamed = await anthropic.messages.stream(messages).finalMessage()
    for (const { content, stop_reason } of [message, streamed]) {
      expect(stop_reason).toBe('tool_use')
      expect(content).toMatchObject([{ type: 'tool_use', name: 'weather', input: { city: QUESTION } }])
    }
    const responses = {
      model: 'llama-3.3-70b',
      input: QUESTION,
      tools: [{ type: 'function' as const, name: 'weather', parameters: schema, strict: false }],
      tool_choice: 'required' as const,
    }
    const response = await openai.responses.create(responses)
    const final = await openai.responses.stream(responses).finalResponse()
    for (const { output } of [response, final]) {
      expect(output).toMatchObject([
        { type: 'function_call', name: 'weather', arguments: JSON.stringify({ city: QUESTION }) },
      ])
    }
  })

  test('embeddings come from the replica that is up, the same in both encodings', async () => {
    const asked = { model: 'demo-embeddings', input: ['one', 'two'], dimensions: 8 }
    const { data: floats, response } = await openai.embeddings
      .create({ ...asked, encoding_format: 'float' })
      .withResponse()
    expect(servedBy(response)).toBe('simulated/vectors')
    const decoded = await openai.embeddings.create(asked)
    expect(floats.data.map(({ embedding }) => embedding.length)).toEqual([8, 8])
    expect(floats.data[0]?.embedding).not.toEqual(floats.data[1]?.embedding)
    expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual(
      floats.data.map(({ embedding }) => embedding),
    )
  })

  test('a cut is told as the API tells it', async () => {
    const response = await fetch(`${gateway.facts.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-cut', input: QUESTION, stream: true }),
    })
    expect(await response.text()).toMatch(/event: response\.failed\ndata: [^\n]*stream_cut[^\n]*\n\n$/)
  })
})
