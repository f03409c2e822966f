import { readEvents } from '../server/event-stream.ts'
import { messageIn } from '../server/refused.ts'

/** What an answer has told so far. `failure`: why it is none, or not whole. */
export type Answer = { tokens: number | null; dollars: number | null; failure: string | null }

type Usage = { total_tokens?: unknown; cost?: unknown } | null
type Body = {
  choices?: readonly {
    delta?: { content?: unknown; refusal?: unknown }
    message?: { content?: unknown; refusal?: unknown }
  }[]
  data?: readonly { embedding?: unknown }[]
  usage?: Usage
  error?: { message?: unknown }
}

const textOf = (part: { content?: unknown; refusal?: unknown } | undefined): string => {
  const text = part?.content ?? part?.refusal
  return typeof text === 'string' ? text : ''
}

const numberOr = (value: unknown, before: number | null): number | null =>
  typeof value === 'number' && value >= 0 ? value : before

function noteUsage(answer: Answer, usage: Usage | undefined): void {
  answer.tokens = numberOr(usage?.total_tokens, answer.tokens)
  answer.dollars = numberOr(usage?.cost, answer.dollars)
}

/** Reads a whole answer, handing its text on as it comes. */
export async function readAnswer(response: Response, onText: (text: string) => void): Promise<Answer> {
  const cost = response.headers.get('x-backstop-cost')
  const answer: Answer = { tokens: null, dollars: cost === null ? null : Number(cost), failure: null }
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (isStream && response.body) await readStream(response.body, answer, onText)
  else await readWhole(response, answer, onText)
  return answer
}

async function readWhole(response: Response, answer: Answer, onText: (text: string) => void): Promise<void> {
  const text = await response.text()
  if (!response.ok) {
    answer.failure = messageIn(text) ?? `The gateway answered ${response.status}.`
    return
  }
  const { choices, data, usage } = JSON.parse(text) as Body
  const vector = data?.[0]?.embedding
  const size = Array.isArray(vector) ? vector.length : null
  onText(
    size === null ? textOf(choices?.[0]?.message) : `A vector of ${size.toLocaleString('en-US')} numbers.`,
  )
  noteUsage(answer, usage)
}

async function readStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  answer: Answer,
  onText: (text: string) => void,
): Promise<void> {
  let isWhole = false
  for await (const { data } of readEvents(body)) {
    if (data === '[DONE]') {
      isWhole = true
      continue
    }
    const { choices, usage, error } = JSON.parse(data) as Body
    if (error) answer.failure ??= typeof error.message === 'string' ? error.message : 'The answer broke off.'
    onText(textOf(choices?.[0]?.delta))
    noteUsage(answer, usage)
  }
  if (!isWhole) answer.failure ??= 'The answer is incomplete: its stream ended before its end.'
}
