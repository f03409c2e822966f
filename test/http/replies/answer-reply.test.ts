import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../lambdas/core/failures/failure.ts'
import type { StreamedAnswer } from '../../../lambdas/engine/request/outcome.ts'
import type { RelayValue } from '../../../lambdas/engine/request/relay.ts'
import { answerReply } from '../../../lambdas/http/replies/answer-reply.ts'
import { chatCompletions } from '../../../lambdas/http/surfaces/chat-completions.ts'
import { messages } from '../../../lambdas/http/surfaces/messages.ts'
import { responses } from '../../../lambdas/http/surfaces/responses.ts'
import type { EventWriter, Surface } from '../../../lambdas/http/surfaces/surface.ts'
import { failureOf, requestFor } from '../../core/build.ts'
import { wholeAnswer } from '../whole-answer.ts'

const ours = failureOf({ kind: 'network', code: 'BACKSTOP_INTERNAL', scope: 'request', message: 'It failed' })
const tools = { keys: { advice: () => '' }, now: () => 0, after: () => () => undefined }
const part = (content: string): RelayValue => ({
  kind: 'part',
  parts: [{ json: { choices: [{ index: 0, delta: { content }, finish_reason: null }] }, text: null }],
})

/** What a client reads of an answer whose second part this writer cannot write. */
async function readThrough(surface: Surface, failing: Partial<EventWriter> = {}) {
  const told: unknown[] = []
  async function* values(): AsyncGenerator<RelayValue> {
    yield part('One')
    yield part('Second')
    yield { kind: 'end' }
  }
  const { completion: _, text: __, ...answer } = wholeAnswer(requestFor({ stream: true }), {})
  const streamed: StreamedAnswer = {
    ...answer,
    kind: 'streamed',
    values: values(),
    failWriting(error): Failure {
      told.push(error)
      return ours
    },
  }
  const open = (given: StreamedAnswer): EventWriter => {
    const writer = surface.open(given)
    let count = 0
    const failingPart: EventWriter['part'] = given => {
      count += 1
      if (count === 2) throw new TypeError('boom')
      return writer.part(given)
    }
    return { ...writer, part: failingPart, ...failing }
  }
  const { body } = answerReply(streamed, { ...surface, open }, tools)
  return { sent: typeof body === 'string' ? body : await text(Readable.from(body)), told }
}

describe('a writer that throws', () => {
  it.each([
    ['chat completions', chatCompletions, /data: \{"error":\{.*"code":"gateway_stopped"/],
    ['responses', responses, /event: response\.failed\n.*"code":"gateway_stopped"/],
    ['messages', messages, /event: error\n.*"code":"gateway_stopped"/],
  ] as const)('ends a stream of %s with an error event', async (_, surface, last) => {
    const { sent, told } = await readThrough(surface)
    expect(sent).toContain('One')
    expect(sent).toMatch(last)
    expect(sent).not.toMatch(/Second|\[DONE\]|response\.completed|message_stop/)
    expect(told).toEqual([new TypeError('boom')])
  })

  it('even where it cannot write the error either', async () => {
    const cut = (): never => {
      throw new TypeError('again')
    }
    const { sent } = await readThrough(chatCompletions, { cut })
    expect(sent).toMatch(/event: error\ndata: \{"type":"error","error":\{.*"code":"gateway_stopped"/)
  })
})
