import { expect } from 'vitest'
import type { Answer } from './ask.ts'

type Chunk = { choices?: unknown[]; error?: object }

const isStreamed = ({ headers }: Answer): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

/** One error in OpenAI's shape with a status for which that holds, and nothing that looks like an answer. */
export function expectHonestError(answer: Answer, isExpected: (status: number) => boolean): void {
  expect(answer.status).toSatisfy(isExpected)
  expect(answer.error).toMatchObject({ type: expect.any(String), code: expect.any(String) })
  expect(answer.error?.message).toMatch(/\S/)
  expect(answer.events).toEqual([])
}

/** Either all of it, with `[DONE]` where it is streamed, or one error; a fragment says at its end that it is one. */
export function expectWholeOrBroken(answer: Answer): void {
  expect(answer.text).not.toBe('')
  const streamed = isStreamed(answer)
  const body = streamed ? answer.events.filter(data => data !== '[DONE]') : [answer.text]
  const chunks = body.map(data => JSON.parse(data) as Chunk)
  const last = chunks.at(-1)
  expect(chunks.slice(0, -1).every(({ choices, error }) => Array.isArray(choices) && !error)).toBe(true)
  const endings = answer.events.flatMap((data, place) => (data === '[DONE]' ? [place] : []))
  if (streamed) expect(endings).toEqual(last?.error ? [] : [answer.events.length - 1])
  else if (answer.status === 200) expect(last?.choices?.length).toBeGreaterThan(0)
  else expect(last?.error).toBeTypeOf('object')
}
