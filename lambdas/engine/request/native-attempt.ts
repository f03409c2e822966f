import type { ChatRequest } from '../../core/chat-request.ts'
import { editJsonText, memberText, withMember } from '../../core/edit-json-text.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { JsonObject } from '../../core/json.ts'
import type { NativeApi } from '../../core/native-call.ts'
import { nativeTarget, type UpstreamTarget } from '../../providers/upstream-target.ts'
import type { NativeWire } from '../../wires/native-wire.ts'
import { messagesWire } from '../../wires/messages.ts'
import { responsesWire } from '../../wires/responses.ts'

/** One call of an endpoint in the client's own API. */
export type NativeAttempt = {
  wire: NativeWire
  target: UpstreamTarget
  body: string
  /** The client gets the answer whole. */
  whole: boolean
}

const WIRES: Readonly<Record<NativeApi, NativeWire>> = {
  responses: responsesWire,
  messages: messagesWire,
}

/** How long an answer may be, in either API. */
const LIMITS = ['max_tokens', 'max_output_tokens'] as const

/** Whether an endpoint is called in the client's own API: it speaks it, and streams where a stream is asked for. */
export function isNativeFor({ wires = {}, stream }: Endpoint, request: ChatRequest): boolean {
  const { nativeCall } = request
  if (nativeCall === null || !wires[nativeCall.api]) return false
  return !request.stream || stream !== false
}

/** A text that asks for a stream. */
const asStream = (text: string): string =>
  memberText(text, 'stream') === null
    ? withMember(text, 'stream', 'true')
    : editJsonText(text, new Map([['stream', 'true']]))

/** A text with the fields that the endpoint's owner adds and the client has not set itself. */
const withFields = (text: string, native: JsonObject, added: JsonObject = {}): string =>
  Object.entries(added).reduce(
    (so, [name, value]) => (Object.hasOwn(native, name) ? so : withMember(so, name, JSON.stringify(value))),
    text,
  )

/**
 * How an endpoint is called in the client's own API; null where it does not speak it.
 * @param unsealed without what only the account can read that wrote it
 * @param streams a stream is asked for, whatever the client gets
 */
export function nativeAttempt(
  request: ChatRequest,
  endpoint: Endpoint,
  secret: string | null,
  { unsealed, streams }: { unsealed: boolean; streams: boolean },
): NativeAttempt | null {
  const { nativeCall, stream } = request
  if (nativeCall === null || !isNativeFor(endpoint, request)) return null
  const wire = WIRES[nativeCall.api]
  const served = endpoint.wires?.[nativeCall.api]
  if (!served) return null
  const text = (unsealed ? nativeCall.unsealed : null) ?? nativeCall.text
  const edits = new Map<string, string | null>(endpoint.droppedParams.map(name => [name, null]))
  edits.set('model', JSON.stringify(endpoint.model))
  const { maxOutputTokens: most = Infinity } = endpoint
  for (const name of LIMITS) {
    if (Number(request.native[name] ?? 0) > most) edits.set(name, JSON.stringify(most))
  }
  const { url, headers } = nativeTarget(served, secret, endpoint.headers)
  const edited = withFields(editJsonText(text, edits), request.native, endpoint.body)
  return {
    wire,
    target: { url, headers: { ...nativeCall.headers, ...wire.headers, ...headers } },
    body: streams && !stream ? asStream(edited) : edited,
    whole: !stream,
  }
}
