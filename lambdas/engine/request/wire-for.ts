import type { AliasKind } from '../../core/endpoint.ts'
import type { JsonObject } from '../../core/json.ts'
import { chatCompletions } from '../../wires/chat-completions.ts'
import { embeddingsWire } from '../../wires/embeddings.ts'
import type { Wire } from '../../wires/wire.ts'

/** The API in which a body of this kind is sent. */
export const wireFor = (kind: AliasKind, body: JsonObject): Wire =>
  kind === 'embeddings' ? embeddingsWire(body) : chatCompletions
