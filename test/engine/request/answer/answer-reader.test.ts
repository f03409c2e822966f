import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../lambdas/core/json.ts'
import {
  createAnswerReader,
  type AnswerReader,
} from '../../../../lambdas/engine/request/answer/answer-reader.ts'
import { chatCompletions } from '../../../../lambdas/wires/chat-completions.ts'
import { chatChunk, sseEvent } from '../../../support/upstreams/chat-bodies.ts'

class Refused extends Error {}

const readerOf = (...pieces: readonly string[]): AnswerReader =>
  createAnswerReader(
    Readable.from(
      pieces.map(piece => Buffer.from(piece)),
      { objectMode: false },
    ),
    chatCompletions,
    (body, inStream) => new Refused(`${inStream ? 'in stream' : 'whole'}: ${body}`),
    text => text,
    { held: false, wanted: 1, callId: () => 'call_1' },
  )

async function readAll(reader: AnswerReader): Promise<JsonObject[]> {
  const parts: JsonObject[] = []
  for (let next = await reader.next(); next; next = await reader.next()) {
    parts.push(...next.map(({ json }) => json))
  }
  return parts
}

const word = chatChunk({ role: 'assistant', content: 'Hello' })
const finish = chatChunk({}, 'stop')
const DONE = 'data: [DONE]\n\n'

describe('a stream', () => {
  it('is the same parts wherever the network cuts its bytes', async () => {
    const text = `: hi\n\n${sseEvent(word)}${sseEvent(finish)}${DONE}`
    for (let cut = 0; cut <= text.length; cut += 1) {
      const reader = readerOf(text.slice(0, cut), text.slice(cut))
      expect(await readAll(reader)).toEqual([word, finish])
      expect(reader.progress).toMatchObject({ output: true, finish: 'stop', done: true })
    }
  })

  it('ends at [DONE], whatever comes behind it', async () => {
    const reader = readerOf(sseEvent(word) + sseEvent(finish) + DONE + sseEvent(word))
    expect(await readAll(reader)).toEqual([word, finish])
  })

  it('shows the output that came before an error first, and then the error', async () => {
    const reader = readerOf(sseEvent(word) + sseEvent({ error: { message: 'Overloaded' } }))
    expect(await reader.next()).toMatchObject([{ json: word }])
    await expect(reader.next()).rejects.toThrow(/^in stream: .*Overloaded/)
  })

  it('holds an error where the event says so by its name', async () => {
    const reader = readerOf(`event: error\ndata: it broke\n\n`)
    await expect(reader.next()).rejects.toThrow('in stream: event: error\ndata: it broke')
  })
})

describe('a whole answer', () => {
  const completion = {
    id: 'c',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }

  it('is kept, and unfolded into parts', async () => {
    const reader = readerOf(`\n\n  ${JSON.stringify(completion)}`)
    const parts = await readAll(reader)
    expect(reader.completion()).toEqual(completion)
    expect(parts.length).toBeGreaterThan(0)
    expect(reader.progress).toMatchObject({ output: true, done: true, usage: { totalTokens: 2 } })
  })

  it.each([
    ['HTML', '<html>Welcome</html>'],
    ['nothing', ''],
    ['an error', '{"error":{"message":"no"}}'],
    ['JSON that is no answer', '{"choices":[]}'],
    ['JSON that nobody should write again', `{"choices":[{"message":{"content":${'['.repeat(9_000)}`],
  ])('that is %s is refused with its body', async (_, body) => {
    await expect(readerOf(body).next()).rejects.toThrow(`whole: ${body}`)
  })
})

it('what comes behind an answer is read and forgotten', async () => {
  const reader = readerOf(sseEvent(finish), DONE, sseEvent(word), sseEvent(word))
  await readAll(reader)
  await expect(reader.discardRest()).resolves.toBeUndefined()
})
