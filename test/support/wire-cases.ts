import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../lambdas/core/json.ts'

/** Text, or what happens between texts; a repeated text is one network write. */
export type WireChunk =
  | string
  | { readonly sleepMs: number }
  | { readonly destroy: true }
  | { readonly repeat: string; readonly times: number }

/** A demand on the request body, by dotted path: a value, or what must hold of it. */
export type WireCondition = Readonly<Record<string, Json>>

export type WireAnswer = {
  readonly when?: WireCondition
  readonly phase?: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly bodyBase64?: string
  readonly chunks?: readonly WireChunk[]
}

export type WireMode = 'stream' | 'whole'

/** What the client must get; `stream` and `whole` override for one mode. */
export type WireExpectation = {
  readonly content?: string
  readonly calls?: readonly (readonly [name: string, args: string])[]
  readonly finish?: string
  readonly usage?: JsonObject
  readonly distinctIds?: boolean
  readonly strict?: boolean
  readonly error?: boolean
  readonly fallback?: boolean | 'allowed'
  readonly chain?: string
  readonly maxCalls?: number
  readonly pairedIds?: boolean
  readonly at?: JsonObject
  readonly contains?: readonly string[]
  readonly absent?: readonly string[]
  readonly minBytes?: number
  readonly anyOf?: readonly WireExpectation[]
  readonly stream?: WireExpectation
  readonly whole?: WireExpectation
}

/** One wire shape from a public bug report, and what must come of it. */
export type WireCase = {
  readonly id: string
  readonly kind: string
  readonly modes: readonly string[]
  readonly request: JsonObject
  readonly requestRaw?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly provider?: string
  readonly upstream: WireAnswer | readonly WireAnswer[]
  readonly fallback: boolean
  readonly expected: WireExpectation
}

const fixture = new URL('../fixtures/wire.json', import.meta.url)

/** Every case of the fixture. */
export const WIRE_CASES: readonly WireCase[] = JSON.parse(readFileSync(fixture, 'utf8'))

/** What is expected in one mode. */
export function expectationIn(mode: WireMode, expected: WireExpectation): WireExpectation {
  const { stream, whole, ...both } = expected
  return { ...both, ...(mode === 'stream' ? stream : whole) }
}
