import { expect, test } from 'vitest'
import { createLocalLog } from '../../infra/local/local-log.ts'
import type { Line } from '../../infra/terminal/line-writer.ts'
import { createRequestMemory, type RequestRejected } from '../../infra/local/request-memory.ts'
import { completedRequest } from './completed-request.ts'

const rejected = (requestId: string): RequestRejected => ({
  event: 'request-rejected',
  requestId,
  code: 'model_not_found',
  param: 'model',
})

test('keeps the newest requests up to its limit', () => {
  const memory = createRequestMemory({ completed: 2, rejected: 1 })
  for (const requestId of ['a', 'b', 'a', 'c']) memory.remember(completedRequest({ requestId }))
  expect(['a', 'b', 'c'].map(id => memory.find(id)?.requestId)).toEqual(['a', undefined, 'c'])
})

test('an id that is used again means its last request', () => {
  const memory = createRequestMemory()
  memory.remember(completedRequest({ status: 500 }))
  memory.remember(completedRequest({ status: 200 }))
  expect(memory.find('request-1')).toMatchObject({ status: 200 })
})

test('requests that were refused at the door push out none but their like', () => {
  const memory = createRequestMemory({ completed: 1, rejected: 2 })
  memory.remember(completedRequest())
  for (const id of ['a', 'b', 'c']) memory.remember(rejected(id))
  expect(memory.newestFirst().map(({ requestId }) => requestId)).toEqual(['c', 'b', 'request-1'])
  memory.remember(completedRequest({ requestId: 'b' }))
  expect(memory.newestFirst().map(({ requestId }) => requestId)).toEqual(['b', 'c'])
})

test('each is kept with the time at which it ended', () => {
  const memory = createRequestMemory(undefined, () => 1_000)
  memory.remember(completedRequest())
  expect(memory.find('request-1')?.at).toBe(1_000)
})

test('the log remembers requests and shows people a line for each, programs everything', () => {
  const memory = createRequestMemory(undefined, () => 1_000)
  const shown: string[] = []
  const write = (line: Line): void => void shown.push(line())
  const people = createLocalLog({ memory, json: false, write })
  people(completedRequest())
  people(rejected('r'))
  people({ event: 'state-garbage', count: 1 })
  people({ event: 'internal-error', requestId: 'r', error: 'Error: boom' })
  expect(memory.find('request-1')).toEqual({ ...completedRequest(), at: 1_000 })
  expect(memory.find('r')).toEqual({ ...rejected('r'), at: 1_000 })
  expect(shown).toEqual([expect.stringContaining('groq/llama-3.1-8b-instant ok'), 'Error: boom'])

  const programs = createLocalLog({ memory, json: true, write })
  programs({ event: 'state-garbage', count: 1 })
  programs(completedRequest())
  expect(shown.slice(2).map(line => JSON.parse(line) as unknown)).toEqual([
    { event: 'state-garbage', count: 1 },
    completedRequest(),
  ])
})
