import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { completedRequest } from '../local/completed-request.ts'
import { eventsOf } from '../page/events-of.ts'
import { endpointRow } from '../support/endpoint-row.ts'
import { hopRow, modelRow } from '../support/model-row.ts'
import { openStackWorld, SECRETS } from './stack-world.ts'

const GROQ = 'groq/llama-3.1-8b-instant'
const world = await openStackWorld({
  rows: [endpointRow({ endpoint: GROQ, id: GROQ })],
  models: [modelRow('gpt-4o', [hopRow(GROQ)])],
})
afterAll(() => world[Symbol.asyncDispose]())

test('the page of a stack takes the link, reads its log, and acts on its table', async () => {
  const { event, ...line } = completedRequest({ requestId: 'from-the-log' })
  const events = [{ eventId: '1', timestamp: Date.now(), message: JSON.stringify({ event, ...line }) }]
  world.aws.answers.set('FilterLogEvents', () => ({ body: { events } }))
  const child = world.start('page', ['--port', '0'])
  const exit = once(child, 'exit')
  const [first] = (await once(createInterface({ input: child.stdout ?? expect.fail() }), 'line')) as [string]
  const link = URL.parse(/http\S+/.exec(first)?.[0] ?? '') ?? expect.fail(first)
  const at = `${link.origin}/local/page`
  expect((await fetch(`${at}/requests`)).status).toBe(401)

  const headers = { 'x-backstop-page': link.hash.slice(1), 'content-type': 'application/json' }
  const stream = await eventsOf(link.origin, headers)
  const { data: hello } = await stream.next('hello')
  expect(hello.facts).toMatchObject({
    stack: 'Backstop-test',
    fleetWords: '--stack Backstop-test',
    requestsNote: expect.stringContaining('every 10 s'),
  })
  const { data: told } = await stream.next('requests', ({ rows }) => rows.length > 0)
  expect(told.rows).toMatchObject([{ id: 'from-the-log', model: 'gpt-4o', caller: 'loopback' }])
  const { data: numbers } = await stream.next('numbers', ({ answered }) => answered.whole > 0)
  expect(numbers).toMatchObject({ providers: { callable: 1, all: 1 }, answered: { part: 1, whole: 1 } })
  const why = await (await fetch(`${at}/why?id=from-the-log`, { headers })).text()
  expect(why).toContain('Answered by groq/llama-3.1-8b-instant')

  const act = { method: 'POST', headers, body: JSON.stringify({ action: 'quarantine', endpoint: GROQ }) }
  expect(await (await fetch(`${at}/act`, act)).json()).toMatchObject({
    message: expect.stringContaining('is in quarantine'),
  })
  expect(await world.store.readStateItem(`endpoint#${GROQ}`)).toMatchObject({
    health: { state: 'quarantined' },
  })
  const trial = JSON.stringify({ model: 'gpt-4o', text: 'Hi', stream: true, kind: 'chat' })
  const answer = await fetch(`${at}/try`, { method: 'POST', headers, body: trial })
  expect(await answer.text()).toContain('Hello.')
  expect(world.seen.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    headers: { 'x-api-key': SECRETS[0] },
  })
  expect(why + JSON.stringify([...answer.headers])).not.toContain(SECRETS[0])

  stream.close()
  child.kill('SIGINT')
  expect(await exit).toEqual([0, null])
})
