import { describe, expect, it } from 'vitest'
import { createFleetMemory } from '../../lambdas/engine/memory/fleet-memory.ts'
import { endpointNamed } from '../core/build.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { modelGone } from './instances/failures.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
const HOUR = 3_600_000
const MODEL = 'llama3-70b-8192'
const DECOMMISSIONED = errorAnswer(400, {
  message: `The model \`${MODEL}\` has been decommissioned and is no longer supported.`,
  code: 'model_decommissioned',
})
const LISTED = { object: 'list', data: [{ id: 'llama-3.1-8b-instant' }, { id: 'llama-3.3-70b-versatile' }] }

type Options = { refusal?: UpstreamAnswer; list?: UpstreamAnswer; keys?: boolean }

/** A model that four requests have found to be gone. */
async function quarantined({ refusal = DECOMMISSIONED, list = { body: LISTED } }: Options = {}) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const now = { refusal }
  const upstream = open(
    await startUpstream(({ method }) => (method === 'GET' ? list : now.refusal), { clock }),
  )
  const endpoints = [endpointNamed(`up/${MODEL}`, { baseUrl: upstream.url, needsKey: true })]
  const keys = new Map([['up', ['k1']]])
  const instance = open(createInstance({ store, clock, endpoints, keys }))
  for (const endpoint of endpoints) {
    for (let failures = 0; failures < 4; failures += 1) {
      await instance.request({ endpoint, failure: modelGone() })
    }
  }
  return {
    now,
    clock,
    store,
    upstream,
    /** A probe run every hour. */
    async pass(hours: number) {
      for (let hour = 0; hour < hours; hour += 1) {
        clock.pass(1.3 * HOUR)
        await instance.probe()
      }
    },
    lists: () => upstream.requests.filter(({ method }) => method === 'GET'),
    async row() {
      clock.pass(2_000)
      const { rows } = await createFleetMemory(instance.tools).describe()
      return rows[0]
    },
  }
}

describe('a model that is gone', () => {
  it('is retired after more than a day, with its host’s words and what that lists in its place', async () => {
    const fleet = await quarantined()
    await fleet.pass(18)
    expect(await fleet.row()).toMatchObject({ health: 'quarantined', retired: false, suggestion: null })
    expect(fleet.lists()).toEqual([])
    await fleet.pass(2)
    expect(await fleet.row()).toMatchObject({
      health: 'quarantined',
      retired: true,
      last_failure: { message: expect.stringContaining('has been decommissioned') },
      suggestion: 'up/llama-3.3-70b-versatile',
    })
  })

  it('has its provider’s list read once a day, with its key', async () => {
    const fleet = await quarantined()
    await fleet.pass(20)
    expect(fleet.lists()).toMatchObject([{ path: '/v1/models', headers: { authorization: 'Bearer secret' } }])
    await fleet.pass(17)
    expect(fleet.lists().length).toBe(1)
    await fleet.pass(3)
    expect(fleet.lists().length).toBe(2)
  })

  it('is retired too where its host has not known it for a day', async () => {
    const fleet = await quarantined({ refusal: errorAnswer(404, { code: 'model_not_found' }) })
    await fleet.pass(20)
    expect(await fleet.row()).toMatchObject({ retired: true, suggestion: 'up/llama-3.3-70b-versatile' })
  })

  it('is not retired where its host only has no place for it now', async () => {
    const fleet = await quarantined({
      refusal: errorAnswer(404, { message: `No endpoints found for ${MODEL}.` }),
    })
    await fleet.pass(20)
    expect(await fleet.row()).toMatchObject({
      health: 'quarantined',
      last_failure: { kind: 'model_unavailable' },
      retired: false,
    })
    expect(fleet.lists()).toEqual([])
  })

  it('is no longer retired when it answers again', async () => {
    const fleet = await quarantined()
    await fleet.pass(20)
    fleet.now.refusal = chatStream(['ok'])
    await fleet.pass(1)
    expect(await fleet.row()).toMatchObject({ health: 'healthy', retired: false, suggestion: null })
  })
})

describe('a list', () => {
  const suggestionOf = async (list: UpstreamAnswer): Promise<string | null | undefined> => {
    const fleet = await quarantined({ list })
    await fleet.pass(20)
    const row = await fleet.row()
    expect(row).toMatchObject({ retired: true })
    expect(fleet.lists().length).toBeGreaterThan(0)
    return row?.suggestion
  }

  it.each<[string, UpstreamAnswer]>([
    ['a bare array', { body: LISTED.data }],
    ['names', { body: ['llama-3.3-70b-versatile'] }],
    ['models with names', { body: { models: [{ name: 'models/llama-3.3-70b-versatile' }] } }],
  ])('may be of %s', async (_, list) => {
    expect(await suggestionOf(list)).toBe('up/llama-3.3-70b-versatile')
  })

  it.each<[string, UpstreamAnswer]>([
    ['refused', { status: 401, body: LISTED }],
    ['cut off', { body: LISTED, end: 'destroy' }],
    ['no list', { body: { data: { id: 'llama-3.3-70b-versatile' } } }],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>llama-3.3-70b-versatile</html>' }],
    ['not there', { fault: 'close-before-headers' }],
    [
      'of names that no terminal should show',
      { body: [{ id: 'llama-3.3-70b-versatile\u001b[31m' }, { id: 7 }] },
    ],
  ])('suggests nothing where it is %s', async (_, list) => {
    expect(await suggestionOf(list)).toBeNull()
  })
})
