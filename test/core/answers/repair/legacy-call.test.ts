import { describe, expect, it } from 'vitest'
import { mendCompletion } from '../../../../lambdas/core/answers/repair/mend-completion.ts'
import { createChunkNormaliser } from '../../../../lambdas/core/answers/repair/normalise-chunk.ts'
import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { foldAll } from '../../../support/fold-all.ts'

const callId = (choice: number, position: number): string => `call_${choice}${position}`
const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const PIECES = [
  chunk({ role: 'assistant', content: null, function_call: { name: 'read', arguments: '' } }),
  chunk({ function_call: { arguments: '{"n"' } }),
  chunk({ function_call: { arguments: ':1}' } }),
  chunk({}, 'function_call'),
]
const CALL = { id: 'call_00', type: 'function', function: { name: 'read', arguments: '{"n":1}' } }

const shownOf = (chunks: readonly JsonObject[], readsToolCalls: boolean) => {
  const { normalise } = createChunkNormaliser(callId, readsToolCalls)
  return foldAll(chunks.map(normalise)).choices
}

describe('a call of the API before tools', () => {
  it('is one of a tool for a client that declared tools, streamed or whole', () => {
    expect(shownOf(PIECES, true)).toMatchObject([
      { message: { tool_calls: [CALL] }, finish_reason: 'tool_calls' },
    ])
    const message = { role: 'assistant', content: null, function_call: { name: 'read', arguments: { n: 1 } } }
    const whole = { choices: [{ index: 0, message, finish_reason: 'function_call' }] }
    const [choice] = mendCompletion(whole, callId, true).choices as JsonObject[]
    expect(choice).toMatchObject({ message: { tool_calls: [CALL] }, finish_reason: 'tool_calls' })
    expect(choice?.message).not.toHaveProperty('function_call')
  })

  it('stays as it is for a client that declared functions', () => {
    const [choice] = shownOf(PIECES, false) as JsonObject[]
    expect(choice).toMatchObject({
      message: { function_call: { name: 'read', arguments: '{"n":1}' } },
      finish_reason: 'function_call',
    })
    expect(choice?.message).not.toHaveProperty('tool_calls')
  })

  it('is no second call where a host sends it both ways', () => {
    const both = [
      chunk({ tool_calls: [{ ...CALL, index: 0 }], function_call: CALL.function }),
      chunk({ function_call: CALL.function }, 'tool_calls'),
    ]
    expect(shownOf(both, true)).toMatchObject([{ message: { tool_calls: [CALL] } }])
  })
})
