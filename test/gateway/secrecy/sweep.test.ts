import { expect, test } from 'vitest'
import { createMemoryStore } from '../../support/tables/memory-store.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { writtenFor } from '../../platform/written-lines.ts'
import { PLACES, type Echo } from './echoes.ts'
import { ENCODINGS, solid, standsIn, worth, type Encoding } from './encodings.ts'
import { KEYS, PROMPT, QUESTIONS, SAID, SURFACES, type AskedSurface } from './planted.ts'

const DAY_MS = 24 * 3_600_000
const NAMES = Object.keys(ENCODINGS)
const providerOf = (surface: AskedSurface, at: number): string => `${surface}${at}`

const saidBy = (turn: number): string => SAID[turn % SAID.length] ?? PROMPT

/** One provider and one alias for each API and encoding, so that no failure bars the next case. */
function configurationOf(baseUrl: string) {
  const pairs = SURFACES.flatMap(surface => NAMES.map((_, at) => [surface, providerOf(surface, at)] as const))
  const wires = (surface: AskedSurface) =>
    surface === 'responses' || surface === 'messages' ? { wires: { [surface]: {} } } : {}
  return {
    providers: Object.fromEntries(pairs.map(([surface, name]) => [name, { baseUrl, ...wires(surface) }])),
    models: Object.fromEntries(
      pairs.map(([surface, name]) => [
        name,
        { ...(surface === 'embeddings' ? { kind: 'embeddings' } : {}), tiers: [[`${name}/m`]] },
      ]),
    ),
    settings: { retry_max_attempts: 1 },
  }
}

test.each(Object.entries(KEYS))(
  'neither %s nor a prompt comes back, however it is repeated',
  async (shape, key) => {
    const echoes = new Map<string, { place: string; surface: AskedSurface; echo: Echo }>()
    await using upstream = await startUpstream(({ path, text }) => {
      const [, name = ''] = /"X-CASE-(\w+)"/.exec(text) ?? []
      const found = echoes.get(name)
      const place = PLACES[found?.place ?? '']
      return found && place
        ? place(found.echo, found.surface)
        : { status: 400, body: `no such case: ${path}` }
    })
    const clock = createVirtualClock()
    const store = createMemoryStore(clock)
    const clientKey = `client-of-${shape.replaceAll(' ', '-')}-7f3e91`
    const configuration = configurationOf(upstream.url)
    const keys = Object.keys(configuration.providers).map(name => [`${name.toUpperCase()}_API_KEY`, key])
    await using gateway = await startGateway(
      configuration,
      { ...Object.fromEntries(keys), BACKSTOP_CLIENT_KEYS: clientKey },
      { clock, store },
    )
    const headers = { 'content-type': 'application/json', 'x-api-key': clientKey }
    const turn = Object.keys(KEYS).indexOf(shape)
    let seen = 0
    const told: { what: string; sight: string; echo: Echo; encode: Encoding }[] = []

    for (const [number, place] of Object.keys(PLACES).entries()) {
      const cases = NAMES.map((name, at) => {
        // Each key meets another API and another way of answering in each place.
        const surface = SURFACES[(turn + number + at) % SURFACES.length] ?? 'chat'
        const stream = surface !== 'embeddings' && (turn + Math.floor((number + at) / 4)) % 2 === 0
        const encode = ENCODINGS[name] ?? String
        const echo = {
          key: encode(at % 2 === 0 ? key : clientKey),
          prompt: encode(saidBy(number + at)),
        }
        const id = `${turn}x${number}x${at}`
        echoes.set(id, { place, surface, echo })
        return { what: `${name}, ${surface}, ${place}`, surface, stream, echo, encode, id, at }
      }).filter(({ at }) => (at + number + turn) % 4 === 0)
      const answers = cases.map(async ({ what, surface, stream, echo, encode, id, at }) => {
        const question = QUESTIONS[surface](providerOf(surface, at), stream, `X-CASE-${id}`)
        const response = await fetch(`${gateway.url}${question.path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(question.body),
        })
        const sight = `${JSON.stringify([...response.headers])} ${await response.text()}`
        expect(sight).not.toContain('no such case')
        told.push({ what, sight, echo, encode })
      })
      await Promise.all(answers)
      await gateway.settled()
      const open = await Promise.all(
        ['/v1/endpoints', '/v1/models'].map(async path =>
          (await fetch(`${gateway.url}${path}`, { headers })).text(),
        ),
      )
      const counted = await store.readStats()
      const lines = gateway.lines.slice(seen)
      seen = gateway.lines.length
      const shared = solid(JSON.stringify([lines, store.items(), [...counted], open, writtenFor(lines)]))
      for (const { what, echo, encode } of cases) {
        const left = [
          standsIn(shared, echo.key, worth(encode, 8)),
          standsIn(shared, echo.prompt, worth(encode, 20)),
        ]
        expect([what, ...left]).toEqual([what, null, null])
      }
      clock.pass(2 * DAY_MS)
    }
    for (const { what, sight, echo, encode } of told) {
      expect([what, standsIn(solid(sight), echo.key, worth(encode, 8))]).toEqual([what, null])
    }
    expect(told.length).toBeGreaterThan((NAMES.length * Object.keys(PLACES).length) / 5)
    expect(gateway.handlerErrors).toEqual([])
  },
  120_000,
)
