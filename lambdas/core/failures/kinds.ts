/** What to do with this target after one sample: the vocabulary of every decision that follows a failure. */
export const FAILURE_CLASSES = ['retryable', 'non_retryable', 'degradable', 'fatal'] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** Who is to blame: the client's payload, the key, this model at this provider, this host, or all of the provider. */
export type FailureScope = 'request' | 'key' | 'model' | 'endpoint' | 'provider'

/** Everything that is known of a kind of failure, whatever the provider. */
export type KindRow = {
  /** Class and scope where the answer itself does not say otherwise. */
  readonly class: FailureClass
  readonly scope: FailureScope
  /** Counts against the provider's breaker, and against the endpoint's own. */
  readonly breaker: boolean
  /** May be our own network's fault: such evidence needs another provider that answers. */
  readonly network: boolean
  /**
   * Whose limit it is: our account's for requests, tokens or money (`quota`), or for what our key may do (`access`).
   * Such a limit proves no endpoint dead, and bars one key of a model instead of the model.
   */
  readonly ownLimit: 'quota' | 'access' | null
  /**
   * Cooldowns where the upstream states none, in milliseconds, step by step; a single one is always the same. Null =
   * no cooldown unless one is stated.
   */
  readonly waitsMs: readonly number[] | null
  /** The first probe after a transition of the endpoint's health, before jitter. */
  readonly firstProbeMs: number
  /** A probe that meets it has learned nothing about the model, and comes again without doubling its interval. */
  readonly probeUndecided: boolean
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Waits where none was stated, climbed when it happens again within a day. */
export const LADDER_MS = [MINUTE, 2 * MINUTE, 10 * MINUTE, HOUR, DAY] as const

const ROW: KindRow = {
  class: 'non_retryable',
  scope: 'request',
  breaker: false,
  network: false,
  ownLimit: null,
  waitsMs: null,
  firstProbeMs: 45_000,
  probeUndecided: false,
}

const kind = (
  failureClass: FailureClass,
  scope: FailureScope,
  rest: Partial<Omit<KindRow, 'class' | 'scope'>> = {},
): KindRow => ({ ...ROW, class: failureClass, scope, ...rest })

const TROUBLE = { breaker: true } as const
const NETWORK = { breaker: true, network: true } as const

/** One row a kind: whatever must know something of every kind reads it here. */
export const KINDS = {
  rate_limit: kind('retryable', 'model', { ownLimit: 'quota', waitsMs: LADDER_MS, probeUndecided: true }),
  quota_exhausted: kind('retryable', 'key', { ownLimit: 'quota', waitsMs: LADDER_MS, probeUndecided: true }),
  site_capacity: kind('retryable', 'model', { waitsMs: LADDER_MS, probeUndecided: true }),
  overloaded: kind('retryable', 'model', TROUBLE),
  timeout: kind('retryable', 'endpoint', TROUBLE),
  network: kind('retryable', 'endpoint', NETWORK),
  tls: kind('fatal', 'endpoint', NETWORK),
  dns: kind('fatal', 'endpoint', NETWORK),
  model_not_found: kind('fatal', 'model'),
  model_unavailable: kind('fatal', 'model'),
  auth: kind('non_retryable', 'key', {
    ownLimit: 'access',
    waitsMs: [5 * MINUTE],
    probeUndecided: true,
  }),
  permission: kind('non_retryable', 'model', { ownLimit: 'access', waitsMs: [DAY] }),
  bad_request: kind('non_retryable', 'request'),
  context_length: kind('degradable', 'request'),
  unsupported_tools: kind('degradable', 'model'),
  unsupported_param: kind('degradable', 'provider'),
  unsupported_modality: kind('degradable', 'model'),
  content_filter: kind('non_retryable', 'request'),
  payload_too_large: kind('degradable', 'request'),
  server_error: kind('retryable', 'provider', TROUBLE),
  loading: kind('retryable', 'model', { waitsMs: LADDER_MS }),
  malformed_response: kind('retryable', 'endpoint', TROUBLE),
} satisfies Record<string, KindRow>

export type FailureKind = keyof typeof KINDS

const isKind = (name: string): name is FailureKind => Object.hasOwn(KINDS, name)
export const FAILURE_KINDS: readonly FailureKind[] = Object.keys(KINDS).filter(isKind)
