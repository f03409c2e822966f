import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../lambdas/core/json.ts'
import { PROVIDER_IDS, providerRow } from '../../lambdas/providers/catalog.ts'
import { fitToolCallId, fitToolCallIds } from '../../lambdas/providers/fit-tool-call-ids.ts'
import type { ToolCallIdForm } from '../../lambdas/providers/provider-row.ts'

const NINE: ToolCallIdForm = { takes: /^[a-z0-9]{9}$/i, length: 9 }
const FORMS = PROVIDER_IDS.flatMap(id => {
  const { toolCallIds } = providerRow(id).quirks
  return toolCallIds === null ? [] : [[id, toolCallIds] as const]
})

const asks = (...ids: string[]): JsonObject => ({
  role: 'assistant',
  tool_calls: ids.map(id => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
})
const tells = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: '1' })
const idsOf = (messages: readonly Json[]) => ({
  called: messages
    .flatMap(message => (message as { tool_calls?: { id: string }[] }).tool_calls ?? [])
    .map(({ id }) => id),
  answered: messages.flatMap(message => (message as { tool_call_id?: string }).tool_call_id ?? []),
})

describe.each(FORMS)('ids of tool calls for %s', (_, form) => {
  test.each(['functions.get_weather:0', 'call_' + 'x'.repeat(80), 'aB3dE6gH9', '', 'a b', '呼び出し'])(
    '%j becomes one that the host takes, always the same',
    id => {
      const fitted = fitToolCallId(id, form)
      expect(fitted).toMatch(form.takes)
      expect(fitToolCallId(fitted, form)).toBe(fitted)
      expect(fitToolCallId(id, form)).toBe(fitted)
    },
  )

  test('calls and results stay pairs, and no two calls share an id, whatever the ids were', () => {
    const ids = fc.array(fc.constantFrom('a', 'b', 'functions.f:0', '', 'aB3dE6gH9', 'é'.repeat(50)), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 5 }), rounds => {
        const history = rounds.flatMap(round => [asks(...round), ...round.map(tells)])
        const fitted = fitToolCallIds(history, form)
        const { called, answered } = idsOf(fitted)
        expect(answered).toEqual(called)
        expect(new Set(called).size).toBe(called.length)
        for (const id of called) expect(id).toMatch(form.takes)
        expect(fitToolCallIds(fitted, form)).toEqual(fitted)
      }),
    )
  })
})

test('ids are kept apart', () => {
  const ids = Array.from({ length: 2_000 }, (_, index) => fitToolCallId(`call_${index}`, NINE))
  expect(new Set(ids).size).toBe(ids.length)
})

test('a result without a call, and what is no message, stay', () => {
  expect(fitToolCallIds([tells('aB3dE6gH9'), 'text', null], NINE)).toEqual([tells('aB3dE6gH9'), 'text', null])
})
