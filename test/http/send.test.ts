import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { jsonReply, type Reply } from '../../lambdas/http/replies/reply.ts'
import { send, type OpenResponse } from '../../lambdas/http/send.ts'

/** A reply that streams these blocks, and what was done with it. */
function streamOf(blocks: AsyncIterable<string>): { reply: Reply; closed: () => number } {
  let closed = 0
  const close = async (): Promise<void> => {
    await setImmediate()
    closed += 1
  }
  const headers = { 'content-type': 'text/event-stream' }
  return { reply: { status: 200, headers, body: blocks, close }, closed: () => closed }
}

async function* blocksOf(...blocks: string[]): AsyncGenerator<string> {
  yield* blocks
}

/** A client that takes everything, and what it was sent. */
function client() {
  const received: string[] = []
  const preludes: Parameters<OpenResponse>[0][] = []
  const target = new Writable({
    write(block: Buffer, _, done) {
      received.push(block.toString())
      done()
    },
  })
  const open: OpenResponse = prelude => {
    preludes.push(prelude)
    return target
  }
  return { open, target, preludes, text: () => received.join('') }
}

describe('a reply is sent', () => {
  it('as one text, with its status and headers', async () => {
    const { open, target, preludes, text } = client()
    await send(jsonReply(404, { a: 'é' }, { 'x-test': '1' }), open)
    expect(preludes).toEqual([
      { statusCode: 404, headers: { 'content-type': 'application/json', 'x-test': '1' } },
    ])
    expect(text()).toBe('{"a":"é"}')
    expect(target.writableFinished).toBe(true)
  })

  it('block by block, and is closed once before sending resolves', async () => {
    const { open, target, text } = client()
    const { reply, closed } = streamOf(blocksOf('data: é\n\n', 'data: [DONE]\n\n'))
    await send(reply, open)
    expect(text()).toBe('data: é\n\ndata: [DONE]\n\n')
    expect(target.writableFinished).toBe(true)
    expect(closed()).toBe(1)
  })
})

describe('a stream that cannot be sent', () => {
  it('is closed once where the response cannot be opened', async () => {
    const { reply, closed } = streamOf(blocksOf('a'))
    await send(reply, () => {
      throw Object.assign(new Error('no response'), { code: 'ERR_STREAM_DESTROYED' })
    })
    expect(closed()).toBe(1)
  })

  it('is closed once, and its source ended, where a write fails', async () => {
    let ended = false
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield 'block'
      } finally {
        ended = true
      }
    }
    const { reply, closed } = streamOf(endless())
    const broken = new Writable({
      write: (_, __, done) => done(Object.assign(new Error('the client left'), { code: 'EPIPE' })),
    })
    await send(reply, () => broken)
    expect({ ended, closed: closed() }).toEqual({ ended: true, closed: 1 })
  })

  it('is closed once where the client is gone already', async () => {
    const { reply, closed } = streamOf(blocksOf('a', 'b'))
    const gone = new PassThrough()
    gone.destroy()
    await send(reply, () => gone)
    expect(closed()).toBe(1)
  })

  it('is closed once where its source throws, what came before was sent, and the mistake is not hidden', async () => {
    async function* breaking(): AsyncGenerator<string> {
      yield 'a'
      throw new Error('a bug')
    }
    const { open, target, text } = client()
    const { reply, closed } = streamOf(breaking())
    await expect(send(reply, open)).rejects.toThrow('a bug')
    expect(text()).toBe('a')
    expect(target.destroyed).toBe(true)
    expect(closed()).toBe(1)
  })
})

it('a slow client slows its source', async () => {
  let produced = 0
  async function* counted(): AsyncGenerator<string> {
    for (; produced < 50; produced += 1) yield 'x'.repeat(1_000)
  }
  const waiting: (() => void)[] = []
  const slow = new Writable({ highWaterMark: 2_000, write: (_, __, done) => void waiting.push(done) })
  const { reply, closed } = streamOf(counted())
  const sending = send(reply, () => slow)
  // As many turns as it would take to send everything, were nobody slow.
  for (let turn = 0; turn < 200; turn += 1) await setImmediate()
  expect(produced).toBeLessThan(10)
  expect(closed()).toBe(0)
  while (!slow.writableFinished) {
    waiting.shift()?.()
    await setImmediate()
  }
  await sending
  expect(produced).toBe(50)
  expect(closed()).toBe(1)
})
