/** What to do with this target after one sample: the vocabulary of every decision that follows a failure. */
export const FAILURE_CLASSES = ['retryable', 'non_retryable', 'degradable', 'fatal'] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/**
 * Who is to blame: the client's payload, the key, this model at this provider, this host, all of the provider, or
 * nobody there, because the call has not left the gateway's own network.
 */
export type FailureScope = 'request' | 'key' | 'model' | 'endpoint' | 'provider' | 'own_network'

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
   * How long a breaker of this kind's limit stays open where the upstream states no wait, in milliseconds: the next
   * one after each trial that failed. Null = such a failure opens none unless a wait is stated.
   */
  readonly waitsMs: readonly number[] | null
  /** One call in this time may go to what a limit of this kind bars when nothing else is left; null = the setting. */
  readonly lastResortMs: number | null
  /** The first probe after a transition of the endpoint's health, before jitter. */
  readonly firstProbeMs: number
  /** A probe that meets it has learned nothing about the model, and comes again without doubling its interval. */
  readonly probeUndecided: boolean
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const RATE_MS = [2 * SECOND, 10 * SECOND, MINUTE, 2 * MINUTE, 10 * MINUTE, HOUR]
/** Most of what is full is free again within minutes: a minute only when a quarter of one has not helped for five. */
const CAPACITY_MS = [5 * SECOND, ...Array.from({ length: 20 }, () => 15 * SECOND), MINUTE]

/** Limits that are narrower than their kind, and wait accordingly. */
export const SPECIAL_WAITS = {
  /** Too many requests at the same time: over as soon as one of them has ended. */
  concurrency: [SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND],
  /** A page of an edge (HTML, a challenge, a block page): meant for one request as often as for all. */
  edge: [10 * SECOND, MINUTE, 10 * MINUTE],
  /** An empty account: nobody tells when it is topped up. */
  money: [10 * MINUTE, HOUR, 6 * HOUR, DAY],
} as const satisfies Record<string, readonly number[]>

const ROW: KindRow = {
  class: 'non_retryable',
  scope: 'request',
  breaker: false,
  network: false,
  ownLimit: null,
  waitsMs: null,
  lastResortMs: null,
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
  rate_limit: kind('retryable', 'model', {
    ownLimit: 'quota',
    waitsMs: RATE_MS,
    lastResortMs: 10 * SECOND,
    probeUndecided: true,
  }),
  quota_exhausted: kind('retryable', 'key', {
    ownLimit: 'quota',
    waitsMs: [HOUR],
    lastResortMs: MINUTE,
    probeUndecided: true,
  }),
  site_capacity: kind('retryable', 'model', {
    waitsMs: [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR],
    probeUndecided: true,
  }),
  overloaded: kind('retryable', 'model', { ...TROUBLE, waitsMs: CAPACITY_MS }),
  timeout: kind('retryable', 'endpoint', TROUBLE),
  network: kind('retryable', 'endpoint', NETWORK),
  tls: kind('fatal', 'endpoint', NETWORK),
  dns: kind('fatal', 'endpoint', NETWORK),
  model_not_found: kind('fatal', 'model'),
  model_unavailable: kind('fatal', 'model'),
  auth: kind('non_retryable', 'key', {
    ownLimit: 'access',
    waitsMs: [5 * MINUTE],
    lastResortMs: MINUTE,
    probeUndecided: true,
  }),
  permission: kind('non_retryable', 'model', {
    ownLimit: 'access',
    waitsMs: [MINUTE, 10 * MINUTE, HOUR, DAY],
    lastResortMs: MINUTE,
  }),
  bad_request: kind('non_retryable', 'request'),
  context_length: kind('degradable', 'request'),
  unsupported_tools: kind('degradable', 'model'),
  unsupported_param: kind('degradable', 'provider'),
  unsupported_modality: kind('degradable', 'model'),
  content_filter: kind('non_retryable', 'request'),
  payload_too_large: kind('degradable', 'request'),
  server_error: kind('retryable', 'provider', TROUBLE),
  loading: kind('retryable', 'model', { waitsMs: CAPACITY_MS }),
  malformed_response: kind('retryable', 'endpoint', TROUBLE),
} satisfies Record<string, KindRow>

export type FailureKind = keyof typeof KINDS

const isKind = (name: string): name is FailureKind => Object.hasOwn(KINDS, name)
export const FAILURE_KINDS: readonly FailureKind[] = Object.keys(KINDS).filter(isKind)
