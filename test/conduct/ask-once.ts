import { parseJsonObject } from '../../lambdas/core/json.ts'
import type { Clock } from '../../lambdas/platform/clock.ts'
import { readAnswer, type Answer } from '../support/ask.ts'

/** One answer as the client saw it. */
export type Reply = {
  /** `whole`: the answer came to an end of its own; `broken`: the connection did not last; `hung`: neither. */
  end: 'whole' | 'broken' | 'hung'
  /** Null where no response came, or none that ended. */
  answer: Answer | null
  /** The model that the answer names, the total of its usage, and whether it finished. */
  model: string | null
  totalTokens: number | null
  finished: boolean
  /** Epoch milliseconds. */
  startedAt: number
  /** Milliseconds. */
  tookMs: number
}

type Shown = {
  model?: string
  usage?: { total_tokens?: number } | null
  choices?: { finish_reason?: string | null }[]
}

const shownIn = ({ events, text }: Answer): Shown[] =>
  (events.length > 0 ? events : [text]).flatMap(data => (parseJsonObject(data) as Shown | undefined) ?? [])

/** Asks a model one question and waits for the end of the answer, but not for ever. */
export async function askOnce(
  url: string,
  request: { body: object; headers: Record<string, string>; hangMs: number },
  clock: Clock,
): Promise<Reply> {
  const startedAt = clock.now()
  const patience = new AbortController()
  const cancel = clock.after(request.hangMs, () => patience.abort())
  const seen = { answer: null, model: null, totalTokens: null, finished: false }
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...request.headers },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Count to sixty.' }], ...request.body }),
      signal: patience.signal,
    })
    const answer = await readAnswer(response)
    const shown = shownIn(answer)
    return {
      end: 'whole',
      answer,
      model: shown.findLast(({ model }) => model)?.model ?? null,
      totalTokens: shown.findLast(({ usage }) => usage)?.usage?.total_tokens ?? null,
      finished: shown.some(({ choices }) => choices?.[0]?.finish_reason === 'stop'),
      startedAt,
      tookMs: clock.now() - startedAt,
    }
  } catch {
    const end = patience.signal.aborted ? 'hung' : 'broken'
    return { end, ...seen, startedAt, tookMs: clock.now() - startedAt }
  } finally {
    cancel()
  }
}
