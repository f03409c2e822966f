import { expect, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { chatChunk, chatStream, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { isJsonObject } from '../../../lambdas/core/json.ts'

test.each(['network_error', 'error', 'MALFORMED_FUNCTION_CALL'])(
  'an answer that a relay calls stopped, and its host %s, is none',
  async native => {
    const ended = { index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: native }
    const chunks = [
      sseEvent(chatChunk({ role: 'assistant', content: 'Hel' })),
      sseEvent({ ...chatChunk({}), choices: [ended] }),
      'data: [DONE]\n\n',
    ]
    const whole = {
      id: 'x',
      object: 'chat.completion',
      choices: [{ ...ended, delta: undefined, message: { role: 'assistant', content: 'Hel' } }],
    }
    await using relay = await startUpstream(({ body }) =>
      body.stream === true
        ? { headers: { 'content-type': 'text/event-stream' }, chunks }
        : { body: JSON.stringify(whole) },
    )
    await using backup = await startUpstream(() => chatStream(['all ', 'well']))
    const urls = { a: relay.url, b: backup.url }
    for (const stream of [true, false]) {
      const tiers = [[{ endpoint: 'a/m', stream }], ['b/m']]
      await using gateway = await startGateway(configOf(urls, tiers))
      expect((await ask(gateway)).content).toBe('all well')
    }
    await using gateway = await startGateway(configOf(urls, [['a/m'], ['b/m']]))
    const streamed = await ask(gateway, { stream: true })
    expect([streamed.content, streamed.done, isJsonObject(streamed.error)]).toEqual(['Hel', false, true])
  },
)
