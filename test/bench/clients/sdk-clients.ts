import { existsSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, OpenAIResponsesModel, Runner } from '@openai/agents'
import { generateText } from 'ai'
import OpenAI from 'openai'

/** One client as its users run it, against a gateway at `url` (without `/v1`); it throws when it gives up. */
export type MeasuredClient = {
  name: string
  /** What is set that is no default; null = nothing. */
  setting: string | null
  run(url: string): Promise<unknown>
}

const NO_RETRIES = 'maxRetries: 0'
const QUESTION = 'Hello?'

/** At the client's own default where none is given. */
type Retries = { maxRetries?: number }

const openai = (url: string, retries: Retries) =>
  new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, ...retries })

const asksOpenAi = (retries: Retries) => (url: string) =>
  openai(url, retries).chat.completions.create({
    model: 'house',
    messages: [{ role: 'user', content: QUESTION }],
  })

const asksAnthropic = (retries: Retries) => (url: string) =>
  new Anthropic({ apiKey: 'none', baseURL: url, ...retries }).messages.create({
    model: 'house',
    max_tokens: 100,
    messages: [{ role: 'user', content: QUESTION }],
  })

const asksAiSdk = (retries: Retries) => (url: string) =>
  generateText({
    model: createOpenAI({ apiKey: 'none', baseURL: `${url}/v1` })('house'),
    prompt: QUESTION,
    ...retries,
  })

const asksAgentsSdk = (retries: Retries) => (url: string) =>
  new Runner({ tracingDisabled: true }).run(
    new Agent({ name: 'Agent', model: new OpenAIResponsesModel(openai(url, retries), 'house') }),
    QUESTION,
  )

/** Too large for a dependency: `npm run agents langchain` puts it beside the repository. */
const LANGCHAIN = new URL(
  '../../../.backstop/agents/langchain/node_modules/@langchain/openai/dist/index.js',
  import.meta.url,
)

type ChatModel = { invoke(question: string): Promise<unknown> }
type LangChain = { ChatOpenAI: new (options: object) => ChatModel }

const asksLangChain = (retries: Retries) => async (url: string) => {
  const { ChatOpenAI } = (await import(LANGCHAIN.href)) as LangChain
  const configuration = { baseURL: `${url}/v1` }
  return new ChatOpenAI({ model: 'house', apiKey: 'none', configuration, ...retries }).invoke(QUESTION)
}

const CLIENTS = {
  "OpenAI's SDK": asksOpenAi,
  "Anthropic's SDK": asksAnthropic,
  'AI SDK': asksAiSdk,
  'Agents SDK': asksAgentsSdk,
  ...(existsSync(LANGCHAIN) ? { LangChain: asksLangChain } : {}),
}

/** Each at its defaults, and with the setting that CLIENTS.md advises. */
export const SDK_CLIENTS: readonly MeasuredClient[] = Object.entries(CLIENTS).flatMap(([name, asks]) => [
  { name, setting: null, run: asks({}) },
  { name, setting: NO_RETRIES, run: asks({ maxRetries: 0 }) },
])
