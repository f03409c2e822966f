import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../lambdas/core/json.ts'

/** How an upstream behaves, as `fixtures/behaviours.json` writes it down. */
export type BehaviourUpstream = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Json
  readonly body_raw?: string
  readonly body_gzip_of?: Json
  readonly sse?: readonly string[]
  readonly sse_gzip?: boolean
  readonly chunks_b64?: readonly string[]
  readonly timing?: {
    readonly headers_ms?: number
    readonly first_frame_ms?: number
    readonly gap_ms?: number
    readonly close_after_ms?: number
    readonly hold_ms?: number
    readonly then?: 'clean_eof' | 'close_without_terminating_chunk' | 'silence'
  }
  readonly fault?: { readonly type: string; readonly when?: string }
  readonly sequence?: readonly Json[]
  /** What the fallback of a sequence answers. */
  readonly fallback_body?: Json
}

/** One recorded behaviour, and what must come of it. */
export type Behaviour = {
  readonly id: string
  readonly provider: string
  readonly request?: JsonObject
  readonly upstream: BehaviourUpstream
  readonly expected: {
    readonly answer: boolean
    readonly failover: boolean
    readonly retrySameEndpoint: boolean
    readonly label: string
    readonly note: string
    readonly errorEventAfterCommit?: boolean
  }
}

const fixture = new URL('../fixtures/behaviours.json', import.meta.url)

/** Every behaviour of the fixture. */
export const BEHAVIOURS: readonly Behaviour[] = JSON.parse(readFileSync(fixture, 'utf8'))

/** The behaviour with this id. */
export function behaviour(id: string): Behaviour {
  const found = BEHAVIOURS.find(entry => entry.id === id)
  if (found === undefined) throw new Error(`no behaviour is called ${id}`)
  return found
}

/** The bytes of a recorded stream, in the pieces the network delivered; empty where it is no stream. */
export function streamPieces({ upstream }: Behaviour): readonly Uint8Array[] {
  if (upstream.chunks_b64) return upstream.chunks_b64.map(piece => Buffer.from(piece, 'base64'))
  return (upstream.sse ?? []).map(piece => Buffer.from(piece))
}
