import { isJsonObject, type Json } from '../../../lambdas/core/json.ts'
import type { HttpAnswer } from './upstream-answer.ts'
import type { UpstreamRequest } from './upstream-request.ts'
import type { WireAnswer, WireChunk, WireCondition } from '../wire-cases.ts'

/** Every value at a dotted path; `*` stands for any element, `raw` for the text of the body. */
function valuesAt({ body, text }: UpstreamRequest, path: string): readonly (Json | undefined)[] {
  if (path === 'raw') return [text]
  return path.split('.').reduce<readonly (Json | undefined)[]>(
    (values, name) =>
      values.flatMap(value => {
        if (Array.isArray(value)) return name === '*' ? value : [value[Number(name)]]
        return [isJsonObject(value) ? value[name] : undefined]
      }),
    [body],
  )
}

function fulfils(value: Json | undefined, demand: Json): boolean {
  if (!isJsonObject(demand)) return value === demand
  const { present, empty, array, matches, notMatches, below } = demand as Record<string, Json>
  if (present !== undefined) return (value !== undefined) === present
  if (empty !== undefined) return (Array.isArray(value) && value.length === 0) === empty
  if (array !== undefined) return Array.isArray(value) === array
  if (typeof below === 'number') return typeof value === 'number' && value < below
  if (typeof matches === 'string') return typeof value === 'string' && new RegExp(matches).test(value)
  if (typeof notMatches === 'string') return typeof value === 'string' && !new RegExp(notMatches).test(value)
  throw new Error(`the condition ${JSON.stringify(demand)} is not understood`)
}

const applies = (request: UpstreamRequest, when: WireCondition): boolean =>
  Object.entries(when).every(([path, demand]) =>
    valuesAt(request, path).some(value => fulfils(value, demand)),
  )

function toPiece(chunk: WireChunk): string | { sleepMs: number } {
  if (typeof chunk === 'string') return chunk
  if ('repeat' in chunk) return chunk.repeat.repeat(chunk.times)
  return { sleepMs: 'sleepMs' in chunk ? chunk.sleepMs : 0 }
}

function toHttp(answer: WireAnswer): HttpAnswer {
  const { status, headers, body, bodyBase64, chunks } = answer
  if (!chunks) {
    const bytes = bodyBase64 === undefined ? Buffer.from(body ?? '') : Buffer.from(bodyBase64, 'base64')
    return { status, headers, chunks: [bytes] }
  }
  const isCut = chunks.some(chunk => typeof chunk === 'object' && 'destroy' in chunk)
  const pieces = chunks.map(toPiece)
  return { status, headers, chunks: pieces, ...(isCut ? { end: 'destroy' } : {}) }
}

/** The first answer whose condition the request fulfils. */
export function wireAnswer(
  upstream: WireAnswer | readonly WireAnswer[],
  request: UpstreamRequest,
): HttpAnswer {
  const answers = Array.isArray(upstream) ? (upstream as readonly WireAnswer[]) : [upstream as WireAnswer]
  const answer = answers.find(({ when = {} }) => applies(request, when))
  if (!answer) throw new Error('no answer fits the request')
  return toHttp(answer)
}
