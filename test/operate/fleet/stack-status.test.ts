import { expect, test } from 'vitest'
import { notDeployed, stackNotice } from '../../../infra/operate/fleet/stack-status.ts'

test.each([
  ['CREATE_IN_PROGRESS', 0, 'being deployed for the first time'],
  ['REVIEW_IN_PROGRESS', 0, 'never deployed'],
  ['ROLLBACK_COMPLETE', 0, 'its first deploy failed'],
  ['CREATE_FAILED', 0, 'is not deployed'],
  ['DELETE_IN_PROGRESS', 0, 'is being deleted'],
  ['DELETE_COMPLETE', 8, 'was deleted'],
])('%s with %i outputs cannot be operated', (status, outputs, expected) => {
  expect(notDeployed(status, outputs)).toContain(expected)
})

test.each([
  ['UPDATE_IN_PROGRESS', 'is being changed'],
  ['UPDATE_ROLLBACK_IN_PROGRESS', 'is being changed'],
  ['UPDATE_ROLLBACK_FAILED', "the last change of the stack 'S' failed"],
  ['DELETE_IN_PROGRESS', 'is being deleted'],
  ['DELETE_FAILED', 'Its table and its secret remain'],
])('%s is told of a stack that can be operated', (status, expected) => {
  expect(notDeployed(status, 8)).toBeNull()
  expect(stackNotice('S', status)).toContain(expected)
})

test.each(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'IMPORT_COMPLETE'])(
  '%s needs no word',
  status => {
    expect([notDeployed(status, 8), stackNotice('S', status)]).toEqual([null, null])
  },
)
