import type { JsonObject } from '../../lambdas/core/json.ts'
import type { Call, Play } from './raw-server.ts'
import { answerWell, begin, cutOff, finish, open, say, sayNonsense } from './spoken-answer.ts'
import { TOKENS } from './voices/words.ts'

const SECOND = 1_000

/** How long the flapping provider is down, in milliseconds of the catalogue. */
export const OUTAGE_MS = 60 * SECOND
/** What the provider of the first scenario asks for. It cannot shrink: the header counts in seconds. */
export const RETRY_AFTER_SECONDS = 2
/** What the content filter says, so that it can be recognised in what the client is told. */
export const POLICY_REASON = 'Your request was rejected by our safety system.'
/** What the fallback says that takes no prefill: nobody but a gateway that continues a fragment hears it. */
export const PREFILL_REASON = 'This model does not support assistant message prefill.'

const errorBody = (message: string, type: string, code: string | null): JsonObject => ({
  error: { message, type, param: null, code },
})
const LIMITED = errorBody('Rate limit reached for requests.', 'rate_limit_error', 'rate_limit_exceeded')
const FAILED = errorBody('The server had an error while processing your request.', 'server_error', null)
const OVERLOADED = errorBody(
  'The engine is currently overloaded. Please try again later.',
  'server_error',
  'overloaded',
)
const TOO_LONG = errorBody(
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  'invalid_request_error',
  'context_length_exceeded',
)
const POLICY = errorBody(POLICY_REASON, 'invalid_request_error', 'content_policy_violation')
const PREFILL = errorBody(
  `${PREFILL_REASON} The conversation must end with a user message.`,
  'invalid_request_error',
  'invalid_prefill',
)

/** The first call breaks like this; what comes after it is well. */
const once =
  (breaks: Play): Play =>
  (wire, call, callNumber, firstAt) =>
    callNumber === 1 ? breaks(wire, call, callNumber, firstAt) : answerWell(wire, call)

const alwaysOverloaded: Play = wire => wire.json(503, OVERLOADED)

const dyingStream: Play = async (wire, call) => {
  begin(wire, call)
  await say(wire, call, 0, 40)
  cutOff(wire, call, 40)
}

const endsWithAssistant = ({ messages }: JsonObject): boolean => {
  const last = Array.isArray(messages) ? messages.at(-1) : null
  return typeof last === 'object' && last !== null && 'role' in last && last.role === 'assistant'
}

/** How each model breaks; those that are not named are well. */
export const BREAKAGES: Readonly<Record<string, Play>> = {
  s01: once(wire => wire.json(429, LIMITED, { 'retry-after': `${RETRY_AFTER_SECONDS}` })),
  s02: wire => wire.json(429, LIMITED),
  s03: once(wire => wire.json(500, FAILED)),
  s04: alwaysOverloaded,
  s05: once(wire => wire.reset()),
  s06: async wire => wire.pause(600 * SECOND),
  async s07(wire, call) {
    open(wire, call)
    await wire.pause(20 * SECOND)
    await answerWell(wire, call, { isOpen: true })
  },
  s08: dyingStream,
  async s09(wire, call) {
    begin(wire, call)
    await say(wire, call, 0, 20)
    await wire.pause(30 * SECOND)
    cutOff(wire, call, 20)
  },
  async s10(wire, call) {
    begin(wire, call)
    await say(wire, call, 0, 8)
    sayNonsense(wire, call)
    await say(wire, call, 8, TOKENS)
    finish(wire, call)
  },
  async s11(wire, call) {
    begin(wire, call)
    await say(wire, call, 0, TOKENS)
    finish(wire, call, { mark: false })
  },
  s12: wire => wire.json(400, TOO_LONG),
  s13: wire => wire.json(400, POLICY),
  s14: dyingStream,
  's14-fallback': (wire, call) =>
    endsWithAssistant(call.body) ? wire.json(400, PREFILL) : answerWell(wire, call),
  s16: alwaysOverloaded,
}

/** Breaks as the model's name says; `pace` shortens the outage of the fifteenth scenario. */
export const breakByModel =
  (pace: number): Play =>
  (wire, call: Call, callNumber, firstAt) => {
    if (call.model === 's15' && call.at - firstAt < OUTAGE_MS * pace) {
      return alwaysOverloaded(wire, call, callNumber, firstAt)
    }
    return (BREAKAGES[call.model] ?? answerWell)(wire, call, callNumber, firstAt)
  }
