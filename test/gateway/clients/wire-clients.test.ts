import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { WIRE_CASES, type WireCase } from '../../support/wire-cases.ts'
import { wireAnswer } from '../../support/upstreams/wire-upstream.ts'

let fallback: ScriptedUpstream
beforeAll(async () => {
  fallback = await startUpstream(() => chatStream(['FALLBACK']))
})
afterAll(() => fallback.close())

async function startBefore(wire: WireCase) {
  const clock = createVirtualClock()
  const upstream = await startUpstream(received => wireAnswer(wire.upstream, received), { clock })
  const urls = { primary: upstream.url, backup: fallback.url }
  const gateway = await startGateway(configOf(urls, [['primary/m'], ['backup/m']]), {}, { clock })
  return {
    baseURL: `${gateway.url}/v1`,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await upstream.close()
    },
  }
}

const QUESTION = { model: 'chat', messages: [{ role: 'user' as const, content: 'Hi' }] }

/** Answers that come out well: neither errors, nor what another provider's rules are about. */
const good = WIRE_CASES.filter(
  ({ expected, modes, provider, requestRaw }) =>
    modes.includes('stream') &&
    !expected.error &&
    !expected.stream?.error &&
    !expected.anyOf &&
    provider === undefined &&
    requestRaw === undefined,
)

describe('an answer that was repaired raises nothing', () => {
  const cases = good.map(wire => [wire.id, wire] as const)

  test.each(cases)("in the stream helper of OpenAI's client: %s", async (_, wire) => {
    await using before = await startBefore(wire)
    const client = new OpenAI({ baseURL: before.baseURL, apiKey: 'any', maxRetries: 0 })
    const stream = client.chat.completions.stream({ ...QUESTION, ...wire.request } as typeof QUESTION)
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]?.finish_reason).toEqual(expect.any(String))
  })

  test.each(cases)('in the AI SDK: %s', async (_, wire) => {
    await using before = await startBefore(wire)
    const provider = createOpenAICompatible({ name: 'backstop', baseURL: before.baseURL })
    const errors: unknown[] = []
    const onError = ({ error }: { error: unknown }): void => void errors.push(error)
    const { fullStream } = streamText({ model: provider('chat'), prompt: 'Hi', maxRetries: 0, onError })
    for await (const part of fullStream) if (part.type === 'error') errors.push(part.error)
    expect(errors).toEqual([])
  })
})
