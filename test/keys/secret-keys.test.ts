import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { keyFingerprint } from '../../lambdas/keys/key-ring.ts'
import { createSecretKeys, type SecretKeysOptions } from '../../lambdas/keys/secret-keys.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const SECRET = { defaultClientKey: 'client-1', clients: {}, providers: { groq: 'gsk-1' } }

/** Keys of a secret that the test edits, on a clock that it moves. */
function keysOf(overrides: Partial<SecretKeysOptions> = {}) {
  const state = { now: 1_000_000, secret: SECRET as unknown, reads: 0, down: false }
  const lines: object[] = []
  const keys = createSecretKeys({
    async readSecret() {
      state.reads += 1
      await setImmediate()
      if (state.down) throw Object.assign(new Error('gsk-1 is not in this'), { name: 'TimeoutError' })
      return typeof state.secret === 'string' ? state.secret : JSON.stringify(state.secret)
    },
    signed: [],
    callersVerified: false,
    stack: 'Backstop-prod',
    now: () => state.now,
    log: line => void lines.push(line),
    ...overrides,
  })
  const accepts = async (presented: string) =>
    (await keys.ready()) && typeof (await keys.clientOf?.(presented)) === 'string'
  const groqKeys = () => keys.ring().fingerprints.get('groq') ?? []
  return { keys, state, lines, accepts, groqKeys }
}

describe('the keys of the secret', () => {
  it('are read when they are first needed, and once for all who wait', async () => {
    const { keys, state, groqKeys } = keysOf()
    expect(state.reads).toBe(0)
    expect(await Promise.all([keys.ready(), keys.ready()])).toEqual([true, true])
    expect(state.reads).toBe(1)
    expect(groqKeys()).toEqual([keyFingerprint('gsk-1')])
    expect(keys.ring().secretOf('groq', keyFingerprint('gsk-1'))).toBe('gsk-1')
  })

  it('are good for five minutes, and read again beside the request after that', async () => {
    const { keys, state, groqKeys } = keysOf()
    await keys.ready()
    state.now += 5 * MINUTE
    await keys.ready()
    expect(state.reads).toBe(1)
    state.now += 1
    state.secret = { ...SECRET, providers: { groq: 'gsk-2' } }
    await keys.ready()
    expect(groqKeys()).toEqual([keyFingerprint('gsk-1')])
    await keys.settled()
    expect(groqKeys()).toEqual([keyFingerprint('gsk-2')])
    expect(state.reads).toBe(2)
  })

  it('are waited for by an instance that slept for hours', async () => {
    const { keys, state, accepts } = keysOf()
    await keys.ready()
    state.secret = { ...SECRET, defaultClientKey: 'client-2' }
    state.now += 61 * MINUTE
    expect(await accepts('client-1')).toBe(false)
    expect(await accepts('client-2')).toBe(true)
  })

  it('keep a key that a plan was made with, for one exchange', async () => {
    const { keys, state } = keysOf()
    await keys.ready()
    state.secret = { ...SECRET, providers: { groq: 'gsk-2' } }
    state.now += 31 * SECOND
    keys.refused()
    await keys.settled()
    expect(keys.ring().secretOf('groq', keyFingerprint('gsk-1'))).toBe('gsk-1')
  })
})

describe('the secret is read again, at most every 30 s', () => {
  it('for a client key that is not known, before its caller is turned away', async () => {
    const { state, accepts } = keysOf()
    expect(await accepts('client-2')).toBe(false)
    state.secret = { ...SECRET, clients: { app: 'client-2' } }
    expect(await accepts('client-2')).toBe(false)
    expect(state.reads).toBe(1)
    state.now += 30 * SECOND
    expect(await accepts('client-2')).toBe(true)
    expect(await accepts('client-3')).toBe(false)
    expect(state.reads).toBe(2)
  })

  it('for all who show a new client key at once', async () => {
    const { keys, state, accepts } = keysOf()
    await keys.ready()
    state.secret = { ...SECRET, clients: { app: 'client-2' } }
    state.now += 30 * SECOND
    expect(await Promise.all([accepts('client-2'), accepts('client-2')])).toEqual([true, true])
    expect(state.reads).toBe(2)
  })

  it('for a new client key that comes while the keys are read for another reason', async () => {
    const { keys, state, accepts } = keysOf()
    await keys.ready()
    state.secret = { ...SECRET, clients: { app: 'client-2' } }
    state.now += 30 * SECOND
    keys.refused()
    expect(await accepts('client-2')).toBe(true)
    expect(state.reads).toBe(2)
  })

  it('after a provider refused a key', async () => {
    const { keys, state } = keysOf()
    await keys.ready()
    for (const waited of [0, 30 * SECOND, 0]) {
      state.now += waited
      keys.refused()
      await keys.settled()
    }
    expect(state.reads).toBe(2)
  })

  it('when the table says that it was changed, once for each change', async () => {
    const { keys, state } = keysOf()
    await keys.ready()
    const changed = async (at: number | null) => {
      keys.changed(at)
      await keys.settled()
      return state.reads
    }
    expect(await changed(null)).toBe(1)
    expect(await changed(state.now - 1)).toBe(1)
    const changedAt = state.now + 5 * SECOND
    state.now += 10 * SECOND
    expect(await changed(changedAt)).toBe(1)
    state.now += 20 * SECOND
    expect(await changed(changedAt)).toBe(2)
    state.now += 31 * SECOND
    expect(await changed(changedAt)).toBe(2)
  })
})

describe('when the secret cannot be used', () => {
  it('just when the table says that it was changed, it is read as soon as it may be', async () => {
    const { keys, state, groqKeys } = keysOf()
    await keys.ready()
    const changedAt = state.now + 5 * SECOND
    state.secret = { ...SECRET, providers: { groq: 'gsk-2' } }
    for (const down of [true, false]) {
      state.now += 30 * SECOND
      state.down = down
      keys.changed(changedAt)
      await keys.settled()
    }
    expect(groqKeys()).toEqual([keyFingerprint('gsk-2')])
    expect(state.reads).toBe(3)
  })

  it('nothing is known at first, and the next caller tries again after a second', async () => {
    const { keys, state, lines } = keysOf()
    state.down = true
    expect(await keys.ready()).toBe(false)
    expect(await keys.ready()).toBe(false)
    expect(state.reads).toBe(1)
    state.down = false
    state.now += SECOND
    expect(await keys.ready()).toBe(true)
    expect(lines).toEqual([{ event: 'secret-unreadable', error: 'TimeoutError' }])
  })

  it('the keys that were known go on working', async () => {
    const { keys, state, accepts, groqKeys } = keysOf()
    await keys.ready()
    state.down = true
    state.now += 120 * MINUTE
    expect(await accepts('client-1')).toBe(true)
    expect(groqKeys()).toHaveLength(1)
  })

  it('because it is malformed, nobody is let in, nothing crashes, and the log says where', async () => {
    const { keys, state, lines, accepts, groqKeys } = keysOf()
    state.secret = '{ "defaultClientKey": "client-1", '
    expect(await accepts('client-1')).toBe(false)
    expect(await keys.ready()).toBe(true)
    expect(groqKeys()).toEqual([])
    expect(lines).toMatchObject([{ event: 'secret-malformed' }])
    expect(JSON.stringify(lines)).not.toContain('client-1')
  })

  it('because an editor broke it, the last good one stays', async () => {
    const { keys, state, accepts } = keysOf()
    await keys.ready()
    state.secret = 'oops'
    state.now += 6 * MINUTE
    await keys.ready()
    await keys.settled()
    expect(await accepts('client-1')).toBe(true)
  })
})

describe('beside the secret', () => {
  it('a provider of AWS is called as the role, unless it has a key of its own', async () => {
    const { keys, state } = keysOf({ signed: ['bedrock'] })
    await keys.ready()
    expect(keys.ring().fingerprints.get('bedrock')).toEqual(['role'])
    expect(keys.ring().secretOf('bedrock', 'role')).toBeUndefined()
    state.secret = { ...SECRET, providers: { bedrock: 'ABSK-1' } }
    state.now += 31 * SECOND
    keys.refused()
    await keys.settled()
    expect(keys.ring().fingerprints.get('bedrock')).toEqual([keyFingerprint('ABSK-1')])
  })

  it('callers whom the platform verified show no key', () => {
    expect(keysOf({ callersVerified: true }).keys.clientOf).toBeNull()
  })

  it('are named by the client that they belong to', async () => {
    const { keys, state } = keysOf()
    state.secret = { ...SECRET, clients: { billing: 'client-2' } }
    await keys.ready()
    expect(await keys.clientOf?.('client-1')).toBe('default')
    expect(await keys.clientOf?.('client-2')).toBe('billing')
    expect(await keys.clientOf?.('client-3')).toBeNull()
  })

  it('are set by a command that names the stack', () => {
    expect(keysOf().keys.advice(['groq'])).toBe(
      'Set one with: npm run keys -- set groq --stack Backstop-prod',
    )
    expect(keysOf({ stack: null }).keys.advice(['groq'])).toContain('--stack NAME')
  })
})
