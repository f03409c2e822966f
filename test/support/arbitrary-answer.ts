import * as fc from 'fast-check'
import type { JsonObject } from '../../lambdas/core/json.ts'

/** What a generated answer says, and the chunks that it was streamed in. */
export type GeneratedAnswer = {
  reasoning: string
  text: string
  calls: readonly { id: string; name: string; arguments: string }[]
  finish: 'stop' | 'tool_calls' | 'length' | 'content_filter'
  usage: { prompt_tokens: number; completion_tokens: number }
  chunks: readonly JsonObject[]
}

const word = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
const pieces = fc.array(word, { maxLength: 5 })
const callArguments = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
})
const call = fc.record({
  name: fc.constantFrom('read_file', 'shell', 'plan__update'),
  arguments: callArguments.map(value => JSON.stringify(value)),
  cuts: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
})

const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const places = [...new Set(cuts.map(cut => Math.min(cut, text.length)))].sort((left, right) => left - right)
  return [0, ...places].map((start, index) => text.slice(start, places[index] ?? text.length))
}

const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

type Calls = readonly { id: string; name: string; arguments: string; cuts: readonly number[] }[]

/** The deltas of parallel calls, one call after the other or each in turn. */
function callDeltas(calls: Calls, interleaved: boolean): JsonObject[] {
  const deltas = calls.map(({ id, name, arguments: args, cuts }, index) => {
    const [first = '', ...rest] = cutAt(args, cuts)
    const head = { index, id, type: 'function', function: { name, arguments: first } }
    return [head, ...rest.map(part => ({ index, function: { arguments: part } }))]
  })
  if (!interleaved) return deltas.flat()
  const longest = Math.max(0, ...deltas.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => deltas.flatMap(list => list[turn] ?? [])).flat()
}

/** Any answer that a model may give over the chat API, as text, thoughts and parallel calls. */
export const arbitraryAnswer: fc.Arbitrary<GeneratedAnswer> = fc
  .record({
    thoughts: pieces,
    texts: pieces,
    calls: fc.array(call, { maxLength: 3 }),
    interleaved: fc.boolean(),
    ended: fc.constantFrom('well' as const, 'length' as const, 'content_filter' as const),
    usage: fc.record({ prompt_tokens: fc.nat(9_999), completion_tokens: fc.nat(9_999) }),
  })
  .map(({ thoughts, texts, calls, interleaved, ended, usage }) => {
    const named = calls.map((made, index) => ({ ...made, id: `call_${index}` }))
    const finish = ended === 'well' ? (named.length > 0 ? 'tool_calls' : 'stop') : ended
    return {
      reasoning: thoughts.join(''),
      text: texts.join(''),
      calls: named.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      finish,
      usage,
      chunks: [
        chunk({ role: 'assistant', content: '' }),
        ...thoughts.map(text => chunk({ reasoning_content: text })),
        ...texts.map(text => chunk({ content: text })),
        ...callDeltas(named, interleaved).map(delta => chunk({ tool_calls: [delta] })),
        chunk({}, finish),
        { ...chunk({}), choices: [], usage },
      ],
    }
  })
