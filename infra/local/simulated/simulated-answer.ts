import { type Json, type JsonObject, isJsonObject } from '../../../lambdas/core/json.ts'
import { exampleValue } from './example-value.ts'

/** What a simulated model says. `pieces` is the text cut into tokens; a tool call has none. */
export type SimulatedAnswer = {
  pieces: readonly string[]
  toolCall: { id: string; name: string; arguments: string } | null
  finishReason: 'stop' | 'length' | 'tool_calls'
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
}

const SHOWN_QUESTION_LENGTH = 120
const CHARACTERS_PER_TOKEN = 4

/** The answer of a well-behaved model: it names itself a simulation and refers to what was asked. */
export function simulateAnswer(provider: string, model: string, request: JsonObject): SimulatedAnswer {
  const question = lastQuestion(request.messages)
  const promptTokens = Math.max(
    1,
    Math.ceil(JSON.stringify(request.messages ?? '').length / CHARACTERS_PER_TOKEN),
  )
  const tool = demandedTool(request)
  if (tool) {
    const call = {
      id: `call_${provider}_1`,
      name: String(tool.name),
      arguments: toolArguments(tool, question),
    }
    const tokens = tokenize(call.arguments).length + 1
    return { pieces: [], toolCall: call, finishReason: 'tool_calls', usage: usageOf(promptTokens, tokens) }
  }
  const text = formatAs(
    request.response_format,
    question,
    proseAnswer(provider, model, question, request.messages),
  )
  const tokens = tokenize(text)
  const limit = request.max_completion_tokens ?? request.max_tokens
  const pieces = typeof limit === 'number' && limit > 0 ? tokens.slice(0, limit) : tokens
  const finishReason = pieces.length < tokens.length ? 'length' : 'stop'
  return { pieces, toolCall: null, finishReason, usage: usageOf(promptTokens, pieces.length) }
}

function proseAnswer(provider: string, model: string, question: string, messages: Json | undefined): string {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined
  const heard = isJsonObject(last) && last.role === 'tool' ? 'The tool told me' : 'You asked me'
  return (
    `This is a simulated answer from ${provider}/${model}: no key is set for ${provider}, so nothing left ` +
    `this machine. ${heard}: “${question}”. A real model would have something better to say about that.`
  )
}

function formatAs(format: Json | undefined, question: string, prose: string): string {
  if (!isJsonObject(format)) return prose
  if (format.type === 'json_object') return JSON.stringify({ simulated: true, question, answer: prose })
  if (format.type !== 'json_schema' || !isJsonObject(format.json_schema)) return prose
  return JSON.stringify(exampleValue(format.json_schema.schema, 'simulated'))
}

/** The function that `tool_choice` forces the model to call, if it does. */
function demandedTool(request: JsonObject): JsonObject | undefined {
  const tools = Array.isArray(request.tools) ? request.tools.filter(isJsonObject) : []
  const offered = tools.map(tool => tool.function).filter(isJsonObject)
  const choice = request.tool_choice
  if (choice === 'required') return offered[0]
  const named = isJsonObject(choice) && isJsonObject(choice.function) ? choice.function.name : undefined
  return named === undefined ? undefined : offered.find(tool => tool.name === named)
}

const toolArguments = (tool: JsonObject, question: string): string =>
  JSON.stringify(isJsonObject(tool.parameters) ? exampleValue(tool.parameters, question) : {})

function lastQuestion(messages: Json | undefined): string {
  const spoken = (Array.isArray(messages) ? messages : [])
    .filter(isJsonObject)
    .filter(message => message.role === 'user' || message.role === 'tool')
  const text = textOf(spoken.at(-1)?.content).replaceAll(/\s+/g, ' ').trim()
  return text.length > SHOWN_QUESTION_LENGTH ? `${text.slice(0, SHOWN_QUESTION_LENGTH - 1)}…` : text
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : []
  return parts.map(part => (typeof part.text === 'string' ? part.text : `[${String(part.type)}]`)).join(' ')
}

const tokenize = (text: string): string[] => text.match(/\s*\S{1,8}/g) ?? []

const usageOf = (prompt: number, completion: number): SimulatedAnswer['usage'] => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})
