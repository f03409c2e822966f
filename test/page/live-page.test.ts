import { ServerResponse, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLivePage } from '../../infra/page/live/live-page.ts'
import type { PageSource } from '../../infra/page/page-source.ts'
import { completedRequest } from '../local/completed-request.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

const never = (): Promise<never> => Promise.reject(new Error('the table is away'))

test('the fleet is read once for all open pages, only what changed is pushed, and nothing is done while none is open', async () => {
  const clock = createVirtualClock()
  let reads = 0
  const source: PageSource = {
    facts: () => ({
      baseUrl: '',
      stack: null,
      fleetWords: '',
      memory: '',
      curlOptions: [],
      requestsNote: null,
    }),
    call: async () => {
      reads += 1
      return Response.json({ mode: 'normal', models: [], data: [] })
    },
    store: { readUsage: never },
    tools: never,
    probe: never,
    find: never,
    readEveryMs: {
      models: { idleMs: 5_000, newsMs: 1_000 },
      table: { idleMs: 600_000, newsMs: 600_000 },
    },
  }
  const live = createLivePage(source, clock)
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.pass(500)
      for (let turns = 0; turns < 5; turns += 1) await turn()
    }
  }
  const open = (): { response: ServerResponse; texts: string[] } => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    const texts: string[] = []
    response.write = (text: string): boolean => texts.push(text) > 0
    live.open(response)
    return { response, texts }
  }

  live.note(completedRequest(), clock.now())
  await pass(60_000)
  expect(reads).toBe(0)

  const pages = [open(), open(), open()]
  await pass(20_500)
  expect(reads).toBe(5)
  const before = pages.map(({ texts }) => texts.length)
  await pass(20_000)
  expect(reads).toBe(9)
  // Nothing has changed.
  expect(pages.map(({ texts }) => texts.length)).toEqual(before)

  live.note(completedRequest({ requestId: 'news' }), clock.now())
  await pass(1_500)
  expect(reads).toBe(10)
  for (const { texts } of pages) {
    const told = texts.slice(before[0]).join('')
    expect(told).toContain('"id":"news"')
    expect(told).toContain('"answered":{"part":2,"whole":2')
  }

  for (const { response } of pages) response.emit('close')
  await pass(60_000)
  expect(reads).toBe(10)
  live.close()
})
