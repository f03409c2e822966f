import * as z from 'zod/mini'
import { RESPONSE_HEADERS } from '../contract.ts'
import { parseJson } from '../core/parse-json.ts'

type Call = { url: string; headers: Readonly<Record<string, string>>; body: string }

/** The headers that prove to the gateway who calls, beside those that the call has. */
export type ProofOf = (call: Call) => Promise<Record<string, string>>

export type CanaryOptions = {
  /** The gateway's; it ends in a slash. */
  url: string
  model: string
  proofOf: ProofOf
  /** For the whole answer, in milliseconds. */
  limitMs?: number
}

/** What whoever calls the function by hand reads. */
export type CanaryReport = { model: string; requestId: string | null; finishReason: string }

/** Longer than the gateway takes to find a first byte, and a short answer to end. */
const LIMIT_MS = 60_000

/** Models that think before they answer take what they are given; none charges much for so few. */
const MOST_TOKENS = 32

const NO_CODE = 'no code'

const chunkSchema = z.looseObject({
  choices: z.optional(z.array(z.looseObject({ finish_reason: z.optional(z.nullable(z.string())) }))),
  error: z.optional(z.looseObject({ code: z.optional(z.nullable(z.string())) })),
})

const refusalSchema = z.looseObject({ error: z.looseObject({ code: z.nullable(z.string()) }) })

/** How a stream ended; a fragment is never a whole answer, whatever it says. */
function endOf(text: string): { finishReason: string } | { problem: string } {
  const events = text.split('\n').flatMap(line => (line.startsWith('data: ') ? [line.slice(6)] : []))
  const chunks = events.map(event => chunkSchema.safeParse(parseJson(event)).data)
  const error = chunks.find(chunk => chunk?.error)?.error
  if (error) return { problem: `the stream broke off (${error.code ?? NO_CODE})` }
  if (events.at(-1) !== '[DONE]') return { problem: 'the stream broke off without an error' }
  const reasons = chunks.flatMap(chunk => chunk?.choices ?? []).map(choice => choice.finish_reason)
  const finishReason = reasons.find(reason => typeof reason === 'string')
  return finishReason ? { finishReason } : { problem: 'the stream ended without a finish reason' }
}

/** What of an error may be written to a log: never the text of a library, which may quote a header. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return typeof code === 'string' ? code : error.name
}

/** A client of the gateway that asks one short question, and fails where a client would get no whole answer. */
export function composeCanary({ url, model, proofOf, limitMs = LIMIT_MS }: CanaryOptions): {
  handler(): Promise<CanaryReport>
} {
  const failure = (problem: string, requestId: string | null = null): Error =>
    new Error(
      `The canary's request for the model '${model}' failed: ${problem}.` +
        (requestId === null ? '' : ` Its ID is ${requestId}.`),
    )

  return {
    async handler() {
      const body = JSON.stringify({
        model,
        stream: true,
        max_tokens: MOST_TOKENS,
        messages: [{ role: 'user', content: 'Answer with one word: ready.' }],
      })
      const call = {
        url: `${url}v1/chat/completions`,
        headers: { 'content-type': 'application/json' },
        body,
      }
      const proof = await proofOf(call).catch((error: unknown) => {
        throw failure(`it has nothing to prove who it is (${nameOf(error)})`)
      })
      const signal = AbortSignal.timeout(limitMs)
      const unanswered = (error: unknown): never => {
        throw failure(
          signal.aborted
            ? `no whole answer came within ${limitMs / 1_000} s`
            : `no answer (${nameOf(error)})`,
        )
      }
      const response = await fetch(call.url, {
        method: 'POST',
        headers: { ...call.headers, ...proof },
        body,
        signal,
        // A client key goes to nobody else.
        redirect: 'manual',
      }).catch(unanswered)
      const requestId = response.headers.get(RESPONSE_HEADERS.requestId)
      const text = await response.text().catch(unanswered)
      if (response.status !== 200) {
        const code = refusalSchema.safeParse(parseJson(text)).data?.error.code ?? NO_CODE
        throw failure(`HTTP ${response.status} (${code})`, requestId)
      }
      const end = endOf(text)
      if ('problem' in end) throw failure(end.problem, requestId)
      return { model, requestId, finishReason: end.finishReason }
    },
  }
}
