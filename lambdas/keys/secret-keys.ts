import type { Log } from '../core/log-event.ts'
import { createClientOf, type ClientOf } from './client-of.ts'
import { stackKeyAdvice } from './key-advice.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import type { KeySource } from './key-source.ts'
import { parseSecret } from './secret.ts'

export type SecretKeysOptions = {
  /** Reads the text of the secret. */
  readSecret(): Promise<string>
  /** Providers that are called as the function's role where the secret has no key of theirs. */
  signed: readonly string[]
  /** The platform has verified the caller already: no client key is asked for. */
  callersVerified: boolean
  /** The stack's name, for advice; null where it is not known. */
  stack: string | null
  now(): number
  log: Log
}

type Loaded = { ring: KeyRing; clientOf: ClientOf; secrets: readonly string[]; readAt: number }

/** Older keys are read again, beside the request that finds them old. */
const FRESH_MS = 5 * 60_000
/** An instance that slept for longer begins anew, and waits: its keys may have been withdrawn long ago. */
const FORGOTTEN_MS = 60 * 60_000
/** However much there is to complain about. */
const REREAD_MS = 30_000
/** With nothing to go on, the next caller tries sooner. */
const FIRST_RETRY_MS = 1_000

const NO_KEYS = createKeyRing(new Map())

/** The keys of the stack's secret, as one instance reads them: seldom, and nearly never while somebody waits. */
export function createSecretKeys(options: SecretKeysOptions): KeySource {
  const { readSecret, signed, callersVerified, stack, now, log } = options
  let loaded: Loaded | null = null
  let previous: KeyRing = NO_KEYS
  let pending: Promise<void> | null = null
  let triedAt = -Infinity
  let heardOf: number | null = null

  async function load(): Promise<void> {
    triedAt = now()
    try {
      const { secret, problems } = parseSecret(await readSecret())
      const isUseless = secret.clients.length + secret.providerKeys.size === 0
      if (problems.length > 0) log({ event: 'secret-malformed', problems })
      // What worked until somebody slipped goes on working.
      if (loaded && problems.length > 0 && isUseless) return
      previous = loaded?.ring ?? NO_KEYS
      const ring = createKeyRing(secret.providerKeys, signed)
      const secrets = [...ring.secrets(), ...secret.clients.map(([, key]) => key)]
      loaded = { ring, clientOf: createClientOf(secret.clients), secrets, readAt: triedAt }
    } catch (error) {
      log({ event: 'secret-unreadable', error: error instanceof Error ? error.name : 'unknown' })
    }
  }

  function read(): Promise<void> {
    pending ??= load().finally(() => (pending = null))
    return pending
  }

  /** Reads what has changed; where that fails, the change is still to be heard of. */
  async function readSince(earlier: number | null): Promise<void> {
    const before = loaded
    await read()
    if (loaded === before) heardOf = earlier
  }

  const isDue = (afterMs: number): boolean => now() - triedAt >= afterMs
  const clientOf: ClientOf = presented => loaded?.clientOf(presented) ?? null

  async function ready(): Promise<boolean> {
    const age = loaded ? now() - loaded.readAt : Infinity
    if (age > FORGOTTEN_MS) {
      if (pending || isDue(loaded ? REREAD_MS : FIRST_RETRY_MS)) await read()
    } else if (age > FRESH_MS && isDue(REREAD_MS)) void read()
    return loaded !== null
  }

  return {
    ready,
    clientOf: callersVerified
      ? null
      : async presented => {
          const known = clientOf(presented)
          if (known !== null) return known
          // It may be new, and the read that knows it under way. Nobody waits but who would be turned away.
          if (pending || isDue(REREAD_MS)) await read()
          return clientOf(presented)
        },
    ring: () => {
      const ring = loaded?.ring ?? NO_KEYS
      return {
        fingerprints: ring.fingerprints,
        secrets: ring.secrets,
        // A plan made a moment ago may name a key that has been replaced since.
        secretOf: (provider, fingerprint) =>
          ring.secretOf(provider, fingerprint) ?? previous.secretOf(provider, fingerprint),
      }
    },
    secrets: () => [...(loaded?.secrets ?? []), ...previous.secrets()],
    advice: stackKeyAdvice(stack),
    refused() {
      if (isDue(REREAD_MS)) void read()
    },
    changed(at) {
      if (at === null || at === heardOf || !loaded) return
      const isKnown = heardOf === null && at <= loaded.readAt
      if (!isKnown && !isDue(REREAD_MS)) return
      const earlier = heardOf
      heardOf = at
      if (!isKnown) void readSince(earlier)
    },
    settled: () => pending,
  }
}
