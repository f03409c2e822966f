import { Agent, OpenAIResponsesModel, Runner, tool } from '@openai/agents'
import { OpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import type { TestGateway } from '../../support/start-gateway.ts'
import { indexlessToolStream } from '../../support/tool-calls.ts'
import { BROKEN, startBrokenChain } from '../../support/broken-chain.ts'

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
})

function agentFor({ url }: TestGateway, outputType?: ReturnType<typeof z.object>) {
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: `${url}/v1`,
    defaultHeaders: { 'x-backstop-session': 'session-of-a-test' },
  })
  const model = new OpenAIResponsesModel(client, 'chat')
  const common = { name: 'Forecaster', instructions: 'Be brief.', model, tools: [weather] }
  return outputType ? new Agent({ ...common, outputType }) : new Agent(common)
}

const runner = new Runner({ tracingDisabled: true })

describe.each(BROKEN)('the Agents SDK, where the first endpoint $name', ({ answer }) => {
  it.each([true, false])('runs an agent over two rounds, streamed: %s', async stream => {
    await using chain = await startBrokenChain({
      first: [answer],
      isNative: true,
      second: [indexlessToolStream(), chatStream(['Rain ', 'everywhere.'])],
    })
    const agent = agentFor(chain.gateway)
    const question = 'Rome and Bern?'
    if (stream) {
      const result = await runner.run(agent, question, { stream })
      await result.completed
      expect(result.finalOutput).toBe('Rain everywhere.')
    } else {
      expect((await runner.run(agent, question)).finalOutput).toBe('Rain everywhere.')
    }
    expect(chain.backup.requests[1]?.body.messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_rome' }, { id: 'call_bern' }] },
      { role: 'tool', content: 'rain in Rome' },
      { role: 'tool', content: 'rain in Bern' },
    ])
  })

  it('gets structured output', async () => {
    await using chain = await startBrokenChain({
      first: [answer],
      isNative: true,
      second: [chatStream(['{"sky":', '"blue"}'])],
    })
    const agent = agentFor(chain.gateway, z.object({ sky: z.string() }))
    expect((await runner.run(agent, 'And today?')).finalOutput).toEqual({ sky: 'blue' })
  })
})

describe('the Agents SDK', () => {
  it('throws where a stream is cut', async () => {
    const cut = chatStream(['Half an ', 'answer'], { finish: null })
    await using chain = await startBrokenChain({ first: [cut], second: [chatStream(['Never asked.'])] })
    const result = await runner.run(agentFor(chain.gateway), 'Hi?', { stream: true })
    await expect(result.completed).rejects.toThrow(/fragment|failed/i)
    expect(chain.backup.calls()).toBe(0)
  })
})
