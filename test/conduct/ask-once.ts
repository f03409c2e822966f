import { isJsonObject, parseJsonObject, type JsonObject } from '../../lambdas/core/json.ts'
import type { Clock } from '../../lambdas/platform/clock.ts'
import { readAnswer, type Answer } from '../support/ask.ts'
import { ASKED_APIS, type Shown } from './surfaces.ts'
import type { ApiName } from './voices.ts'

/** One answer as the client saw it. */
export type Reply = {
  /** `whole`: the answer came to an end of its own; `broken`: the connection did not last; `hung`: neither. */
  end: 'whole' | 'broken' | 'hung'
  /** Null where no response came, or none that ended. */
  answer: Answer | null
  /** An event came whose data is no JSON: official clients throw on it. */
  unreadable: boolean
  /** Epoch milliseconds. */
  startedAt: number
  /** Milliseconds. */
  tookMs: number
} & Pick<Shown, 'model' | 'totalTokens' | 'finished'>

export type AskedRequest = {
  api: ApiName
  model: string
  stream: boolean
  headers: Record<string, string>
  hangMs: number
}

const NOTHING = { model: null, totalTokens: null, finished: false, unreadable: false } as const

/** An error has the same place in every API, but in an answer of the Responses API that has failed. */
function errorIn(values: readonly JsonObject[]): Answer['error'] {
  const states = values.flatMap(value => (isJsonObject(value.response) ? [value, value.response] : [value]))
  const error = states.map(state => state.error).find(isJsonObject)
  return (error as Answer['error'] | undefined) ?? null
}

/** Asks a model one question and waits for the end of the answer, but not for ever. */
export async function askOnce(
  url: string,
  { api, model, stream, headers, hangMs }: AskedRequest,
  clock: Clock,
): Promise<Reply> {
  const { path, body, streamed, read } = ASKED_APIS[api]
  const startedAt = clock.now()
  const patience = new AbortController()
  const cancel = clock.after(hangMs, () => patience.abort())
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, ...body, ...(stream ? streamed : {}) }),
      signal: patience.signal,
    })
    const answer = await readAnswer(response)
    const texts = answer.events.length > 0 ? answer.events : [answer.text]
    const values = texts.flatMap(data => {
      const value = parseJsonObject(data)
      return value ? [value] : []
    })
    const { content, done, ...shown } = read(values, texts.at(-1) ?? '')
    const seen = { ...answer, content, done, error: errorIn(values) }
    const unreadable = answer.events.filter(data => data !== '[DONE]').length > values.length
    return { end: 'whole', answer: seen, ...shown, unreadable, startedAt, tookMs: clock.now() - startedAt }
  } catch {
    const end = patience.signal.aborted ? 'hung' : 'broken'
    return { end, answer: null, ...NOTHING, startedAt, tookMs: clock.now() - startedAt }
  } finally {
    cancel()
  }
}
