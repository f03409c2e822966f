import { isJsonObject, type JsonObject } from '../json.ts'

type BegunCall = { id: string; name: string }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function nameOf(delta: JsonObject): string {
  const body = isJsonObject(delta.function) ? delta.function : delta.custom
  return isJsonObject(body) ? textOf(body.name) : ''
}

/** A head names its function; relays send the head of one call where another one stood. */
function beginsAnother(call: BegunCall, next: BegunCall, index: number | null): boolean {
  if (next.id !== '' && call.id !== '') return next.name !== '' || index === null
  return next.name !== '' && call.name !== '' && (index === null || next.name !== call.name)
}

/**
 * Tells which call of one message a tool call delta belongs to, by position: by known id, else by index, else the
 * current call, else a new one. Ids may be missing or empty, and an index missing or used twice.
 */
export function createToolCallRouter(): (delta: JsonObject) => number {
  const calls: BegunCall[] = []
  const positionsByIndex = new Map<number, number>()

  function find(next: BegunCall, index: number | null): number | null {
    const known = next.id === '' ? -1 : calls.findIndex(call => call.id === next.id)
    if (known >= 0) return known
    const current = calls.length - 1
    const named = next.id !== '' || next.name !== ''
    // An index never seen, on a delta that names nothing, is a fragment that strayed from its head.
    const position = index === null ? current : (positionsByIndex.get(index) ?? (named ? -1 : current))
    const call = calls[position]
    return call === undefined || beginsAnother(call, next, index) ? null : position
  }

  return delta => {
    const next = { id: textOf(delta.id), name: nameOf(delta) }
    const index = typeof delta.index === 'number' ? delta.index : null
    const position = find(next, index) ?? calls.push({ id: '', name: '' }) - 1
    const call = calls[position]
    if (call) calls[position] = { id: call.id || next.id, name: call.name || next.name }
    if (index !== null) positionsByIndex.set(index, position)
    return position
  }
}
