import { describe, expect, test } from 'vitest'
import { eventsOf } from './events-of.ts'
import { openPageWorld } from './page-world.ts'

const MODELS = { chat: { tiers: [['limited/one'], ['steady/two']] } }
const JSON_TYPE = { 'content-type': 'application/json' }
const body = (value: object): RequestInit => ({
  method: 'POST',
  headers: JSON_TYPE,
  body: JSON.stringify(value),
})

test('the page of an open gateway: its files, the fleet, a trial, why, and what may be done', async () => {
  await using world = await openPageWorld(MODELS)
  const at = (path: string, init?: RequestInit): Promise<Response> => fetch(`${world.url}${path}`, init)
  expect(world.pageUrl).toBe(`${world.url}/`)

  for (const path of ['/local/page', '/local/page/']) {
    const sent = await at(path, { redirect: 'manual' })
    expect([path, sent.status, sent.headers.get('location')]).toEqual([path, 302, '/'])
  }
  const page = await at('/')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  const html = await page.text()
  const statusOf = async (path: string): Promise<[string, number]> => [path, (await at(path)).status]
  for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/[^"]*)"/g))
    expect(await statusOf(path)).toEqual([path, 200])
  const script = await (await at('/local/page/modules/infra/page/browser/main.ts')).text()
  expect(script).toContain('startTicker()')
  expect(script).not.toContain('import type')
  // Nothing but what the page imports.
  for (const path of [
    'infra/page/page-routes.ts',
    'infra/page/browser/tsconfig.json',
    '../.env',
    'package.json',
  ])
    expect(await statusOf(`/local/page/modules/${path}`)).toEqual([expect.anything(), 404])

  const trial = await at('/local/page/try', body({ model: 'chat', text: 'Hi', stream: true, kind: 'chat' }))
  expect(trial.headers.get('x-backstop-chain')).toContain('limited/one;rate_limit;429')
  expect(await trial.text()).toMatch(/"cost":0\.0003.*\[DONE\]\n\n$/s)

  const events = await eventsOf(world.url)
  const { data: models } = await events.next('models', update => update.changed.length > 0)
  expect(models.changed[0]).toMatchObject({
    model: 'chat',
    answers: true,
    tier: 2,
    chain: [
      { endpoint: 'limited/one', state: 'skipped', mark: 'waiting', next: { what: 'cooldown' } },
      { endpoint: 'steady/two', state: 'now', mark: 'well', words: null },
    ],
  })
  const { data: numbers } = await events.next('numbers', told => told.spent !== null)
  expect(numbers).toMatchObject({
    models: { down: 0, all: 1 },
    // One of the two cools down, and is called by nobody.
    providers: { callable: 1, all: 2 },
    answered: { part: 1, whole: 1 },
    spent: { dollars: 0.0003 },
  })
  const { data: requests } = await events.next('requests')
  const [row] = requests.rows
  expect(row).toMatchObject({
    model: 'chat',
    caller: 'loopback',
    outcome: 'answered',
    tier: 2,
    tokens: 20,
    dollars: 0.0003,
  })
  const narrowed = async (outcome: string): Promise<unknown> =>
    (await at(`/local/page/requests?outcome=${outcome}`)).json()
  expect(await narrowed('rejected')).toMatchObject({ rows: [{ outcome: 'rejected', code: 'unknown_route' }] })
  expect(await narrowed('answered')).toMatchObject({ rows: [{ id: row?.id }] })
  expect(await narrowed('unheard-of')).toEqual({
    error: {
      message: expect.stringMatching(/^Narrow by outcome with one of answered, .*rejected, fallback\.$/),
    },
  })

  const why = await (await at(`/local/page/why?id=${row?.id}`)).json()
  expect(JSON.stringify(why)).toContain('{"style":"green","text":"Answered by steady/two"}')

  const act = async (action: string): Promise<unknown> =>
    (await at('/local/page/act', body({ action, endpoint: 'limited/one' }))).json()
  const limited = async (): Promise<unknown> => (await at('/local/page/endpoint?name=limited/one')).json()
  expect(await act('release')).toEqual({ message: 'limited/one is released: 1 cooldown was removed.' })
  await events.next('models', update => update.changed.some(({ tier }) => tier === 1))
  expect(await act('quarantine')).toEqual({
    message: 'limited/one is in quarantine. It stays there until it is released.',
  })
  // A gateway that is slow to look at its table is waited for some seconds only.
  await expect.poll(limited, { timeout: 15_000 }).toMatchObject({ health: 'quarantined' })
  await events.next('models', update => update.changed.some(({ chain }) => chain[0]?.mark === 'broken'))
  expect(await act('probe')).toEqual({
    message: expect.stringMatching(
      /^The probe of limited\/one failed after \d+ ms with rate_limit: Rate limit/,
    ),
  })
  expect(await act('release')).toEqual({ message: 'limited/one is released: it was quarantined.' })
  await expect.poll(limited, { timeout: 15_000 }).toMatchObject({ health: 'healthy' })
  expect((await at('/local/page/act', body({ action: 'delete', endpoint: 'limited/one' }))).status).toBe(400)
  expect((await at('/local/page/act', body({ action: 'probe', endpoint: 'nobody/one' }))).status).toBe(404)
  events.close()
})

describe('where client keys are set', () => {
  test('only who has the link may watch or act, and no key ever leaves the gateway', async () => {
    const key = 'client-key-of-billing'
    await using world = await openPageWorld(MODELS, { BACKSTOP_CLIENT_KEYS: key })
    const token = world.pageUrl.split('#')[1] ?? ''
    expect(token).toMatch(/^[\w-]{32}$/)
    const calls: [string, RequestInit][] = [
      ['events', {}],
      ['requests', {}],
      ['why?id=x', {}],
      ['endpoint?name=limited/one', {}],
      ['act', body({ action: 'quarantine', endpoint: 'limited/one' })],
      ['try', body({ model: 'chat', text: 'Hi', stream: false, kind: 'chat' })],
    ]
    for (const [path, init] of calls) {
      const headers = { ...JSON_TYPE, 'x-api-key': key, authorization: `Bearer ${key}` }
      expect([path, (await fetch(`${world.url}/local/page/${path}`, init)).status]).toEqual([path, 401])
      // A client's key lets nobody operate the gateway.
      expect([path, (await fetch(`${world.url}/local/page/${path}`, { ...init, headers })).status]).toEqual([
        path,
        401,
      ])
    }
    const shown = { ...JSON_TYPE, 'x-backstop-page': token }
    const trial = await fetch(`${world.url}/local/page/try`, { ...calls[5]?.[1], headers: shown })
    expect(await trial.text()).toContain('A net that stops')
    const rows = await (await fetch(`${world.url}/local/page/requests`, { headers: shown })).text()
    const html = await (await fetch(world.url)).text()
    expect(rows).toContain('"outcome":"answered"')
    expect(rows + html + JSON.stringify([...trial.headers])).not.toContain(key)
    expect(html).not.toContain(token)
    const foreign = { ...shown, origin: 'https://evil.example' }
    expect((await fetch(`${world.url}/local/page/requests`, { headers: foreign })).status).toBe(403)
  })
})
