import { expect, test } from 'vitest'
import { countOf } from '../../infra/page/traffic/count-request.ts'
import { createRequestList } from '../../infra/page/traffic/request-list.ts'
import { completedRequest } from '../local/completed-request.ts'

const AT = 1_790_000_000_000
const rejected = { event: 'request-rejected', requestId: 'r', code: 'invalid_api_key', param: null } as const

test('keeps the newest thousand, and pages back through them', () => {
  const list = createRequestList()
  for (let index = 0; index < 5_000; index += 1)
    list.add(completedRequest({ requestId: `request-${index}` }), AT + index)
  const newest = list.find({}, 100)
  expect(newest).toHaveLength(100)
  expect(newest[0]?.id).toBe('request-4999')
  const older = list.find({}, 100, newest.at(-1)?.serial)
  expect(older[0]?.id).toBe('request-4899')
  expect(list.find({}, 10_000)).toHaveLength(1_000)
})

test('narrows by model, caller and what happened', () => {
  const list = createRequestList()
  const direct = completedRequest()
    .attempts.slice(1)
    .map(attempt => ({ ...attempt, tier: 1 }))
  const first = {
    ...completedRequest().plan,
    candidates: [{ endpoint: 'groq/llama-3.1-8b-instant', id: 'x', tier: 1, suspect: false, keys: [] }],
  }
  list.add(completedRequest({ requestId: 'fell back' }), AT)
  list.add(completedRequest({ requestId: 'direct', caller: 'billing', attempts: direct, plan: first }), AT)
  list.add(
    completedRequest({ requestId: 'failed', alias: 'house', outcome: 'failed', status: 503, servedBy: null }),
    AT,
  )
  list.add(rejected, AT)
  const ids = (filter: Parameters<typeof list.find>[0]): string[] => list.find(filter, 10).map(({ id }) => id)
  expect(ids({ outcome: 'fallback' })).toEqual(['fell back'])
  expect(ids({ outcome: 'answered' })).toEqual(['direct', 'fell back'])
  expect(ids({ caller: 'billing' })).toEqual(['direct'])
  expect(ids({ model: 'house', outcome: 'failed' })).toEqual(['failed'])
  expect(ids({ outcome: 'rejected' })).toEqual(['r'])
  expect(list.callers()).toEqual(['billing', 'loopback'])
})

test('says why none was called', () => {
  const list = createRequestList()
  const plan = {
    candidates: [],
    skipped: [{ endpoint: 'a/b', id: 'a/b', tier: 1, reason: 'quarantined', until: AT, cause: null }],
  }
  const row = list.add(completedRequest({ attempts: [], servedBy: null, plan }), AT)
  expect(row).toMatchObject({ hops: [], skips: [{ endpoint: 'a/b', reason: 'quarantined' }] })
})

test.each([
  ['an answer', { outcome: 'answered' }, 'answered'],
  ['nothing that could answer', { outcome: 'failed', status: 503 }, 'unanswered'],
  ['a model that is gone everywhere', { outcome: 'failed', status: 404 }, 'unanswered'],
  ['an answer that broke off', { outcome: 'cut' }, 'unanswered'],
  ["a request's own fault", { outcome: 'failed', status: 400 }, 'excluded'],
  ['a client that left', { outcome: 'client-left' }, 'excluded'],
] as const)('%s counts as it should', (_, changes, result) => {
  expect(countOf(createRequestList().add(completedRequest(changes), AT))).toMatchObject({ result })
})

test('what was refused at the door counts for no model', () => {
  expect(countOf(createRequestList().add(rejected, AT))).toBeNull()
})
