import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type SimulatedProviders,
  startSimulatedProviders,
} from '../../../infra/local/simulated/simulated-providers.ts'

let simulation: SimulatedProviders
beforeAll(async () => {
  simulation = await startSimulatedProviders({ pace: 0 })
})
afterAll(() => simulation.close())

function ask(endpoint: string, body: object = {}, signal?: AbortSignal): Promise<Response> {
  const slash = endpoint.indexOf('/')
  const messages = [{ role: 'user', content: 'What is  a backstop?' }]
  return fetch(`${simulation.baseUrlOf(endpoint.slice(0, slash))}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: endpoint.slice(slash + 1), messages, ...body }),
    ...(signal && { signal }),
  })
}

type Chunk = {
  choices: { delta: { content?: string; tool_calls?: object[] }; finish_reason: string | null }[]
  usage?: { total_tokens: number }
  x_groq?: object
}

const events = (text: string): string[] =>
  text
    .split('\n\n')
    .filter(event => event.startsWith('data: '))
    .map(event => event.slice('data: '.length))

const chunks = (text: string): Chunk[] =>
  events(text)
    .filter(data => data !== '[DONE]')
    .map(data => JSON.parse(data) as Chunk)

const textOf = (all: Chunk[]): string => all.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')

describe('refusals', () => {
  test.each([
    ['openai/gpt-4o', 429, { type: 'tokens', param: null, code: 'rate_limit_exceeded' }],
    [
      'openrouter/deepseek/deepseek-chat:free',
      404,
      { message: 'No endpoints found for deepseek/deepseek-chat:free.', code: 404 },
    ],
    ['groq/llama-3.3-70b-versatile', 503, { type: 'internal_server_error' }],
    ['simulated/rate-limited', 429, { code: 'rate_limit_exceeded' }],
    ['simulated/over-capacity', 503, { type: 'internal_server_error' }],
  ])('%s answers %i', async (endpoint, status, error) => {
    const response = await ask(endpoint)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error })
  })

  test('a rate limit says when to come back', async () => {
    const { headers } = await ask('openai/gpt-4o')
    expect([headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual(['20', '19400'])
  })

  test.each([
    ['an unknown path', '/openai/v1/completions', '{}', 404],
    ['a body that is not JSON', '/openai/v1/chat/completions', 'hello', 400],
    ['a request without a model', '/openai/v1/chat/completions', '{}', 400],
  ])('%s is refused in the shape of OpenAI', async (_title, path, body, status) => {
    const response = await fetch(simulation.url + path, { method: 'POST', body })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  })
})

describe('a model that answers well', () => {
  test('streams an answer that refers to the question and says that it is simulated', async () => {
    const response = await ask('groq/llama-3.1-8b-instant', { stream: true })
    const text = await response.text()
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(textOf(chunks(text))).toMatch(
      /simulated answer from groq\/llama-3.1-8b-instant.*“What is a backstop\?”/,
    )
    expect(chunks(text).at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks(text).at(-1)?.x_groq).toBeDefined()
    expect(events(text).at(-1)).toBe('[DONE]')
  })

  test('counts tokens only for those who ask', async () => {
    const asked = await ask('openai/gpt-4o-mini', { stream: true, stream_options: { include_usage: true } })
    const counted = chunks(await asked.text()).filter(chunk => chunk.usage)
    expect(counted).toHaveLength(1)
    expect(counted[0]?.choices).toEqual([])
    const silent = chunks(await (await ask('openai/gpt-4o-mini', { stream: true })).text())
    expect(silent.filter(chunk => chunk.usage)).toEqual([])
  })

  test('queues with a comment where the provider does', async () => {
    const text = await (await ask('openrouter/some/model', { stream: true })).text()
    expect(text.startsWith(': OPENROUTER PROCESSING\n\ndata: ')).toBe(true)
  })

  test('answers in one piece without `stream`', async () => {
    const body = await (await ask('mistral/any')).json()
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'any',
      choices: [{ message: { role: 'assistant' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    })
  })

  test('stops at the limit of tokens', async () => {
    const body = await (await ask('mistral/any', { max_tokens: 3 })).json()
    expect(body).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 3 } })
  })

  const parameters = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['celsius', 'kelvin'] },
      days: { type: 'integer' },
    },
  }
  const tools = [{ type: 'function', function: { name: 'weather', parameters } }]

  test.each([
    ['required', 'required'],
    ['named', { type: 'function', function: { name: 'weather' } }],
  ])('calls a tool when the choice is %s', async (_title, tool_choice) => {
    const body = (await (await ask('mistral/any', { tools, tool_choice })).json()) as {
      choices: {
        message: { tool_calls: { function: { name: string; arguments: string } }[] }
        finish_reason: string
      }[]
    }
    expect(body.choices[0]?.finish_reason).toBe('tool_calls')
    const call = body.choices[0]?.message.tool_calls[0]?.function
    expect(call?.name).toBe('weather')
    expect(JSON.parse(call?.arguments ?? '')).toEqual({
      city: 'What is a backstop?',
      unit: 'celsius',
      days: 1,
    })
  })

  test('streams a tool call', async () => {
    const all = chunks(
      await (await ask('mistral/any', { tools, tool_choice: 'required', stream: true })).text(),
    )
    expect(all.find(chunk => chunk.choices[0]?.delta.tool_calls)?.choices[0]?.delta.tool_calls).toMatchObject(
      [{ index: 0, type: 'function', function: { name: 'weather' } }],
    )
  })

  test.each([
    ['json_object', { type: 'json_object' }, { simulated: true }],
    [
      'json_schema',
      { type: 'json_schema', json_schema: { name: 'w', schema: parameters } },
      { unit: 'celsius' },
    ],
  ])('answers in JSON for %s', async (_title, response_format, expected) => {
    const body = (await (await ask('mistral/any', { response_format })).json()) as {
      choices: { message: { content: string } }[]
    }
    expect(JSON.parse(body.choices[0]?.message.content ?? '')).toMatchObject(expected)
  })
})

describe('misbehaviour', () => {
  test('a cut stream breaks after some text, without a finish', async () => {
    const response = await ask('simulated/cut', { stream: true })
    const seen: string[] = []
    const decoder = new TextDecoder()
    await expect(async () => {
      for await (const part of response.body ?? []) seen.push(decoder.decode(part, { stream: true }))
    }).rejects.toThrow('terminated')
    expect(textOf(chunks(seen.join('')))).toContain('simulated')
    expect(seen.join('')).not.toContain('"finish_reason":"stop"')
    expect(seen.join('')).not.toContain('[DONE]')
  })

  test('a cut answer that is not streamed never arrives', async () => {
    await expect(ask('simulated/cut')).rejects.toThrow('fetch failed')
  })

  test('a slow model answers in the end', async () => {
    expect(textOf(chunks(await (await ask('simulated/slow', { stream: true })).text()))).toContain(
      'simulated',
    )
  })

  test('a silent model sends nothing, not even a status', async () => {
    await expect(ask('simulated/silent', {}, AbortSignal.timeout(150))).rejects.toThrow(/timeout/i)
  })

  test('a client that leaves disturbs nobody', async () => {
    const response = await ask('groq/llama-3.1-8b-instant', { stream: true })
    await response.body?.cancel()
    expect((await ask('groq/llama-3.1-8b-instant')).status).toBe(200)
  })
})
