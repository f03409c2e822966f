import { existsSync, readFileSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, OpenAIResponsesModel, Runner } from '@openai/agents'
import { generateText } from 'ai'
import OpenAI from 'openai'

/** One client as its users run it, against a gateway at `url` (without `/v1`); it throws when it gives up. */
export type MeasuredClient = {
  name: string
  version: string
  /** What is set that is no default, as pages write it; null = nothing. */
  setting: string | null
  /** Asks for minutes. */
  isPatient: boolean
  /** False = it still asked when it was ended. */
  run(url: string): Promise<unknown>
}

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

/** What `npm run agents` has installed under a name: `cline@3.0.65` → `3.0.65`. */
export function installedVersion(name: string): string {
  const file = new URL(`../../../.backstop/agents/${name}/package`, import.meta.url)
  const [, version = ''] = /^@?[^@]+@(\S+)/.exec(readFileSync(file, 'utf8')) ?? []
  return version
}

function dependencyVersion(name: string): string {
  const file = new URL(`../../../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

type Client = {
  version: string
  asks: (retries: Retries) => (url: string) => Promise<unknown>
  isPatient?: boolean
  /** Where `maxRetries: 0` is set, if not in the client itself. */
  of?: string
}

const CLIENTS: Readonly<Record<string, Client>> = {
  "OpenAI's SDK": { version: dependencyVersion('openai'), asks: asksOpenAi },
  "Anthropic's SDK": { version: dependencyVersion('@anthropic-ai/sdk'), asks: asksAnthropic },
  'Agents SDK': { version: dependencyVersion('@openai/agents'), asks: asksAgentsSdk, of: ' of its client' },
  'AI SDK': { version: dependencyVersion('ai'), asks: asksAiSdk },
  ...(existsSync(LANGCHAIN)
    ? { LangChain: { version: installedVersion('langchain'), asks: asksLangChain, isPatient: true } }
    : {}),
}

/** Each at its defaults, and with the setting that CLIENTS.md advises. */
export const SDK_CLIENTS: readonly MeasuredClient[] = Object.entries(CLIENTS).flatMap(
  ([name, { version, asks, isPatient = false, of = '' }]) => [
    { name, version, setting: null, isPatient, run: asks({}) },
    { name, version, setting: `\`maxRetries: 0\`${of}`, isPatient, run: asks({ maxRetries: 0 }) },
  ],
)
