import Anthropic from '@anthropic-ai/sdk'
import { OpenAI } from 'openai'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { messageEvents, nativeMessage } from '../messages/native-bodies.ts'
import { nativeEvents, nativeResponse } from '../responses/native-bodies.ts'

/** One API that clients and endpoints speak alike, as its official client reads it. */
export type NativeApi = {
  api: 'responses' | 'messages'
  path: string
  question: JsonObject
  eventsOf(texts: readonly string[]): string[]
  wholeOf(text: string): JsonObject
  /** How many events stand before the first output, and before the first text. */
  silent: number
  beginning: number
  /** One event that brings this text. */
  delta(text: string): string
  /** What the official client's own accumulator makes of a stream. */
  read(url: string): Promise<string>
}

const readResponse = async (url: string): Promise<string> => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
  const final = await client.responses.stream({ model: 'chat', input: 'Hi' }).finalResponse()
  // This client hands a failed answer out like any other.
  if (final.status !== 'completed') throw new Error(`${final.status}: ${final.error?.message}`)
  return final.output_text
}

const readMessage = async (url: string): Promise<string> => {
  const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const { content } = await client.messages
    .stream({ model: 'chat', max_tokens: 100, messages })
    .finalMessage()
  return content.map(block => (block.type === 'text' ? block.text : '')).join('')
}

export const NATIVE_APIS: readonly NativeApi[] = [
  {
    api: 'responses',
    path: '/v1/responses',
    question: { model: 'chat', input: 'Hi' },
    eventsOf: nativeEvents,
    wholeOf: nativeResponse,
    silent: 4,
    beginning: 4,
    delta: text => nativeEvents([text])[4] ?? '',
    read: readResponse,
  },
  {
    api: 'messages',
    path: '/v1/messages',
    question: { model: 'chat', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
    eventsOf: messageEvents,
    wholeOf: nativeMessage,
    silent: 3,
    beginning: 7,
    delta: text => messageEvents([text])[7] ?? '',
    read: readMessage,
  },
]

/** A chain whose first endpoint speaks the client's API and whose second only the chat API, in virtual time. */
export async function startNativeChain(
  { api, path, question }: NativeApi,
  native: readonly UpstreamAnswer[],
) {
  const clock = createVirtualClock()
  const first = await startUpstream(native, { clock })
  const second = await startUpstream([chatStream(['Chat.'])])
  const gateway = await startGateway(
    {
      providers: {
        native: { baseUrl: first.url, key: false, wires: { [api]: {} } },
        plain: { baseUrl: second.url, key: false },
      },
      models: { chat: { tiers: [['native/m'], ['plain/m']] } },
      settings: { retry_max_attempts: 2 },
    },
    {},
    { clock },
  )
  return {
    gateway,
    clock,
    first,
    second,
    ask: (fields: object, headers: Record<string, string> = {}) =>
      fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ ...question, ...fields }),
      }),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await first.close()
      await second.close()
    },
  }
}
