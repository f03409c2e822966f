import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStreamReader, type AnswerPart } from '../../../lambdas/core/answers/stream-reader.ts'
import { answerHead } from '../../../lambdas/http/surfaces/messages/answer-head.ts'
import { createMessageWriter } from '../../../lambdas/http/surfaces/messages/message-writer.ts'
import { createAnswerContext } from '../../../lambdas/http/surfaces/responses/answer-context.ts'
import { createResponseWriter } from '../../../lambdas/http/surfaces/responses/events/response-writer.ts'
import { attemptRecord, requestFor } from '../../core/build.ts'

const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.constantFrom('"', '\\', '\n', '{"a":', '') },
)
const field = fc.constantFrom('content', 'content', 'reasoning', 'reasoning_content', 'refusal', 'thinking')
/** Runs of chunks that repeat one another. */
const run = fc
  .tuple(field, fc.constantFrom(0, 0, 0, 1), fc.array(text, { minLength: 1, maxLength: 8 }))
  .map(([name, index, texts]) =>
    texts.map(said => ({ choices: [{ index, delta: { [name]: said }, finish_reason: null }] })),
  )
const odd = fc.constantFrom(
  { choices: [{ index: 0, delta: { content: 'a' }, logprobs: { content: [{ token: 'a' }] } }] },
  {
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{"a":1}' } }] },
      },
    ],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
)
const streams = fc
  .array(fc.oneof({ weight: 4, arbitrary: run }, { weight: 1, arbitrary: odd.map(chunk => [chunk]) }), {
    maxLength: 12,
  })
  .map(runs => runs.flat().map(chunk => JSON.stringify({ id: 'c', ...chunk })))

function partsOf(events: readonly string[]): readonly AnswerPart[] {
  const reader = createStreamReader({ wanted: 1, callId: (choice, at) => `call_${choice}x${at}` })
  return [...events, '[DONE]'].flatMap(event => reader.repeat(event) ?? reader.add(event).parts)
}

const messageWriter = (thinks: boolean) => () => {
  const native = thinks ? { thinking: { type: 'enabled', budget_tokens: 2_000 } } : {}
  return createMessageWriter(answerHead(requestFor({ native }), attemptRecord('a/m', null)))
}
const responseWriter = (userAgent: string) => () =>
  createResponseWriter(
    createAnswerContext({
      seed: 's',
      native: {},
      userAgent,
      model: 'm',
      createdAt: 1_700_000_000_000,
      promptTokens: 9,
    }),
  )

describe.each([
  ['Messages', messageWriter(false)],
  ['Messages with thoughts', messageWriter(true)],
  ['Responses', responseWriter('OpenAI/JS')],
  ['Responses for Codex', responseWriter('codex_cli_rs/0.50.0')],
])('the events of %s', (_, createWriter) => {
  it('are the same of pieces as of whole chunks', () => {
    let pieces = 0
    fc.assert(
      fc.property(streams, events => {
        const [ofPieces, ofChunks] = [createWriter(), createWriter()]
        for (const { json, piece } of partsOf(events)) {
          pieces += piece ? 1 : 0
          expect(piece ? ofPieces.piece(piece) : ofPieces.chunk(json)).toBe(ofChunks.chunk(json))
        }
        expect(ofPieces.end()).toBe(ofChunks.end())
      }),
      { numRuns: 120 },
    )
    expect(pieces).toBeGreaterThan(120)
  })
})
