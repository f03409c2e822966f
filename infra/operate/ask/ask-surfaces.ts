import { isJsonObject, type Json, type JsonObject } from '../../../lambdas/core/json.ts'

/** What one side of a conversation has said. */
export type Turn = { role: 'user' | 'assistant'; content: string }

/** An API in which the gateway can be asked from the terminal. */
export type AskedSurface = {
  path: string
  /** Its last usage has the cost of each answer whose price is known, and not only of those that were translated. */
  tellsCost?: true
  body(model: string, turns: readonly Turn[], system?: string): JsonObject
  /** The text that one event brings. */
  textOf(event: JsonObject): string
  /** The event that ends a whole answer, by its data. */
  isEnd(data: string, event: JsonObject | undefined): boolean
  /** That event's name, for a message. */
  end: string
}

const MOST_TOKENS = 4_096
/** Else a stream does not tell what it cost. */
const WITH_USAGE = { stream_options: { include_usage: true } }

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const objectIn = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

function chatText({ choices }: JsonObject): string {
  const [choice] = Array.isArray(choices) ? choices : []
  const { content, refusal } = objectIn(objectIn(choice).delta)
  return textIn(content ?? refusal)
}

const RESPONSE_TEXTS: ReadonlySet<unknown> = new Set(['response.output_text.delta', 'response.refusal.delta'])

/** A field that is there where somebody has given its value. */
const given = (name: string, value: string | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value }

const systemTurn = (system: string | undefined): readonly JsonObject[] =>
  system === undefined ? [] : [{ role: 'system', content: system }]

/** By the name that `--surface` takes. */
export const ASKED_SURFACES = {
  chat: {
    path: '/v1/chat/completions',
    tellsCost: true,
    body: (model, turns, system) => ({
      model,
      stream: true,
      ...WITH_USAGE,
      messages: [...systemTurn(system), ...turns],
    }),
    textOf: chatText,
    isEnd: data => data === '[DONE]',
    end: '[DONE]',
  },
  responses: {
    path: '/v1/responses',
    body: (model, turns, system) => ({
      model,
      stream: true,
      store: false,
      ...given('instructions', system),
      input: turns,
    }),
    textOf: ({ type, delta }) => (RESPONSE_TEXTS.has(type) ? textIn(delta) : ''),
    isEnd: (_, event) => event?.type === 'response.completed' || event?.type === 'response.incomplete',
    end: 'response.completed',
  },
  messages: {
    path: '/v1/messages',
    body: (model, turns, system) => ({
      model,
      stream: true,
      max_tokens: MOST_TOKENS,
      ...given('system', system),
      messages: turns,
    }),
    textOf: ({ delta }) => textIn(objectIn(delta).text),
    isEnd: (_, event) => event?.type === 'message_stop',
    end: 'message_stop',
  },
} satisfies Record<string, AskedSurface>

export type AskedSurfaceName = keyof typeof ASKED_SURFACES

export const isAskedSurface = (name: string): name is AskedSurfaceName => Object.hasOwn(ASKED_SURFACES, name)
