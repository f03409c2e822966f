import { expect, test } from 'vitest'
import { finishKindOf, isPoorFinish, presentFinish } from '../../../lambdas/core/answers/finish-reasons.ts'

test.each([
  ['stop', 'complete'],
  ['STOP', 'complete'],
  ['completed', 'complete'],
  ['end', 'complete'],
  ['function_calls', 'complete'],
  ['MAX_TOKENS', 'length'],
  ['max_output_tokens', 'length'],
  ['SAFETY', 'filter'],
  ['refusal', 'filter'],
  ['error', 'other'],
  ['insufficient_system_resource', 'other'],
] as const)('a finish of %s is %s', (finish, kind) => {
  expect(finishKindOf(finish)).toBe(kind)
  expect(isPoorFinish(finish)).toBe(kind === 'length' || kind === 'filter')
  expect(presentFinish(finish, true)).toBe(kind === 'complete' ? 'tool_calls' : finish)
  expect(presentFinish(finish, false)).toBe(finish)
})
