import { expect, test } from 'vitest'
import { chatCompletion, chatStream } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'

/** So many answers, and their times, make an endpoint known as a prompt one. */
const KNOWN = 52

test('a short whole answer of an endpoint that has been prompt is not streamed, and one without a limit is', async () => {
  const world = createWorld()
  await using upstream = await startUpstream(({ body }) =>
    JSON.stringify(body).includes('"stream":true')
      ? chatStream(['all ', 'well'])
      : chatCompletion('all well'),
  )
  await using gateway = await startGateway(configOf({ up: upstream.url }, [['up/m']]), {}, world)
  const ask = async (limit: object): Promise<string> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello?' }], ...limit }),
    })
    const { choices } = JSON.parse(await response.text())
    await gateway.settled()
    return choices[0].message.content
  }
  for (let asked = 0; asked < KNOWN; asked += 1) expect(await ask({ max_tokens: 20 })).toBe('all well')
  // What was counted is written, and read again.
  await world.clock.sleep(120_000, new AbortController().signal)
  await ask({})
  await world.clock.sleep(120_000, new AbortController().signal)
  await ask({})
  const before = upstream.calls()
  expect(await ask({ max_tokens: 20 })).toBe('all well')
  expect(await ask({})).toBe('all well')
  const [short, open] = upstream.requests.slice(before).map(({ body }) => Object(body).stream)
  expect([short, open]).toEqual([undefined, true])
})
