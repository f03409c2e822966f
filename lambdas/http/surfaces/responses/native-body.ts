import { editJsonText } from '../../../core/edit-json-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { NativeCall } from '../../../core/native-call.ts'
import { isOurItemId, readItemId } from './item-id.ts'
import type { TranslatedRequest } from './request/translate-request.ts'

const isOurs = ({ id }: JsonObject): boolean => typeof id === 'string' && isOurItemId(id)

/** An item that a translation has given out, as a provider takes it that never saw it; null = it would refuse it. */
function foreignItem(item: JsonObject): JsonObject | null {
  if (!isOurs(item)) return item
  // A thought without its seal is one that no provider believes.
  if (item.type === 'reasoning') return null
  if (item.type === 'item_reference') return readItemId(String(item.id)) ?? item
  const { id: _, ...rest } = item
  return rest
}

/** A thought without its seal; null where nothing of it is left. */
function unsealedItem(item: JsonObject): JsonObject | null {
  if (item.type !== 'reasoning' || typeof item.encrypted_content !== 'string') return item
  const { encrypted_content: _, ...rest } = item
  return Array.isArray(rest.content) && rest.content.length > 0 ? rest : null
}

const editItems = (input: Json | undefined, edit: (item: JsonObject) => JsonObject | null): Json =>
  Array.isArray(input)
    ? input.flatMap(item => (isJsonObject(item) ? (edit(item) ?? []) : [item]))
    : (input ?? null)

/** A request of this API as an endpoint of this API gets it. */
export function nativeCallOf(text: string, native: JsonObject, translated: TranslatedRequest): NativeCall {
  const { input, previous_response_id: previous, store } = native
  const items = Array.isArray(input) ? input.filter(isJsonObject) : []
  const edits = new Map<string, string | null>()
  // Outside of the public API, and the client's own.
  if (Object.hasOwn(native, 'client_metadata')) edits.set('client_metadata', null)
  const foreign = items.some(isOurs) ? editItems(input, foreignItem) : input
  if (foreign !== input) edits.set('input', JSON.stringify(foreign))
  const whole = edits.size > 0 ? editJsonText(text, edits) : text
  const isSealed = items.some(item => unsealedItem(item) !== item)
  const unsealed = new Map([['input', JSON.stringify(editItems(foreign, unsealedItem))]])
  return {
    api: 'responses',
    text: whole,
    unsealed: isSealed ? editJsonText(whole, unsealed) : null,
    headers: {},
    needs: { api: translated.native, state: translated.state },
    follows: typeof previous === 'string' ? previous : null,
    isStored: store !== false,
  }
}
