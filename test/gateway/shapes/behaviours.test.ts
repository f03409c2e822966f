import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, type Answer } from '../../support/ask.ts'
import { BEHAVIOURS, type Behaviour } from '../../support/behaviours.ts'
import { behaviourUpstream } from '../../support/upstreams/behaviour-upstream.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { closedPort } from '../../support/upstreams/closed-port.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()
/** One recorded second becomes 20 ms; the limits of the gateway shrink alike. */
const TIME_SCALE = 0.02
const SETTINGS = {
  // One attempt for each of the two tiers, so that no test waits out a backoff.
  retry_max_attempts: 2,
  first_output_timeout_ms: 250,
  idle_timeout_ms: 500,
  first_byte_deadline_ms: 5_000,
}

/** `length` with nothing before it is an answer, if a poor one; and a moderation verdict is what guard models give. */
const POOR_ANSWERS = new Set(['empty-length-completion', 'relay-verdict-safe'])

let fallback: ScriptedUpstream
beforeAll(async () => {
  fallback = await startUpstream(() => chatStream(['fallback'], { model: 'backup' }))
})
afterAll(() => fallback.close())

/** The base URL of an upstream that behaves like this; null where no loopback server can. */
async function play(behaviour: Behaviour): Promise<{ url: string; close(): Promise<void> } | null> {
  const { fault } = behaviour.upstream
  if (fault?.when === 'connect') {
    return { url: `http://127.0.0.1:${await closedPort()}/v1`, close: () => Promise.resolve() }
  }
  if (fault?.when === 'tls') return startUpstream([chatStream(['never'])], { tls: true, clock })
  const playable = behaviourUpstream(behaviour, { now: clock.now(), timeScale: TIME_SCALE })
  return (
    playable &&
    startUpstream(
      () => behaviourUpstream(behaviour, { now: clock.now(), timeScale: TIME_SCALE }) ?? playable,
      { clock },
    )
  )
}

async function through(behaviour: Behaviour, body: object): Promise<Answer> {
  const upstream = await play(behaviour)
  if (!upstream) throw new Error(`${behaviour.id} cannot be played`)
  const baseUrls = { primary: upstream.url, backup: fallback.url }
  await using gateway = await startGateway(
    configOf(baseUrls, [['primary/m'], ['backup/backup']], SETTINGS),
    {},
    { clock },
  )
  try {
    const answer = await ask(gateway, body)
    expect(gateway.handlerErrors).toEqual([])
    await expect.poll(() => gateway.completed.length).toBe(1)
    return answer
  } finally {
    await upstream.close()
  }
}

function expectBehaviour(behaviour: Behaviour, answer: Answer): void {
  const { expected, id } = behaviour
  const chain = answer.headers.get('x-backstop-chain')
  // No throughput is demanded by default, so a trickle commits, and its end without a finish is a cut.
  if (expected.errorEventAfterCommit || id === 'seq-slow-trickle') {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-backstop-served-by')).toBe('primary/m')
    expect(answer.error?.code).toMatch(/^(stream_cut|upstream_timeout)$/)
    expect(answer.events.at(-1)).toContain('"error"')
    expect(answer.text).not.toContain('[DONE]')
    return
  }
  if (expected.answer || POOR_ANSWERS.has(id)) {
    expect(answer.error).toBeNull()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-backstop-served-by')).toBe('primary/m')
    return
  }
  expect(chain).toMatch(/^primary\/m;\w+;\d*;\d+ > backup\/backup;ok;200;\d+$/)
  expect(answer.content).toBe('fallback')
  expect(answer.error).toBeNull()
}

const faults = new Set(['ENOTFOUND', 'client_disconnect'])
const playable = BEHAVIOURS.filter(
  ({ upstream }) => !upstream.sequence && !faults.has(upstream.fault?.type ?? ''),
)

describe('a streamed request through the whole gateway', () => {
  test.each(playable.map(behaviour => [behaviour.id, behaviour] as const))(
    'meets %s',
    async (_, behaviour) => {
      const answer = await through(behaviour, { ...behaviour.request, tools: undefined, stream: true })
      expectBehaviour(behaviour, answer)
      if (answer.error === null) expect(answer.done).toBe(true)
    },
  )
})

describe('a request that is not streamed, through the whole gateway', () => {
  test.each(playable.map(behaviour => [behaviour.id, behaviour] as const))(
    'meets %s',
    async (id, behaviour) => {
      const answer = await through(behaviour, { stream: false })
      // Nothing has reached the client until the answer is whole, so what cuts a stream fails over here.
      const held = { ...behaviour.expected, errorEventAfterCommit: false }
      if (id === 'seq-slow-trickle') expect(answer.content).toBe('fallback')
      else expectBehaviour({ ...behaviour, expected: held }, answer)
    },
  )
})
