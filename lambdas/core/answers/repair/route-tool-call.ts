import { createJsonBalance, type JsonBalance } from './json-balance.ts'
import type { CallDelta } from './read-tool-call.ts'

/** One call of a message as far as it has come. */
export type RoutedCall = {
  /** As the host gave it; two calls may share one. */
  hostId: string
  name: string
  text: string
  balance: JsonBalance
  /** Its name was given again behind complete arguments: what follows belongs to another call of that name. */
  namedAgain: boolean
}

export type Route = {
  position: number
  begins: boolean
  /** It says nothing new. */
  repeats: boolean
  /** A further piece of a name that has begun. */
  namePiece: string
}

const isBlank = (text: string): boolean => text.trim() === ''

/** Under another id than the call has: heads of other calls name their function, fragments may have ids of their own. */
function beginsByOtherId({ balance, name }: RoutedCall, next: CallDelta): boolean {
  if (next.name === '') return next.index === null
  return next.name !== name || !balance.begun() || balance.complete()
}

/** Without an id that tells: a name behind complete arguments begins another call, and pieces of a name do not. */
function beginsByName(call: RoutedCall, next: CallDelta): boolean {
  const { balance, name } = call
  if (next.name === '') return call.namedAgain && !isBlank(next.text)
  if (name === '') return false
  if (next.name === name) {
    if (next.index === null) return !balance.begun() || balance.complete()
    return balance.complete() && !isBlank(next.text)
  }
  return balance.begun() || next.looksLikeHead
}

const newCall = (name: string): RoutedCall => ({
  hostId: '',
  name,
  text: '',
  balance: createJsonBalance(),
  namedAgain: false,
})

/** The same call told again: nobody calls twice under one id, and JSON does not continue behind its end. */
function repeats({ balance, text, hostId }: RoutedCall, next: CallDelta): boolean {
  if (!balance.complete() || isBlank(next.text) || next.text !== text) return false
  return next.id === '' ? next.name === '' : next.id === hostId
}

/** Some hosts begin with an empty object, and then send the arguments. */
const isPlaceholder = ({ text }: RoutedCall, next: CallDelta): boolean =>
  text === '{}' && next.name === '' && next.text.trimStart().startsWith('{')

/**
 * Tells which call of one message each tool call delta belongs to: by known id, else by index, else the current
 * call, else a new one. Ids may be missing, empty or shared, and an index missing or used twice.
 */
export function createToolCallRouter(): { calls: readonly RoutedCall[]; route(next: CallDelta): Route } {
  const calls: RoutedCall[] = []
  const byIndex = new Map<number, number>()
  const byId = new Map<string, number>()
  const sharedIds = new Set<string>()

  function positionOf(next: CallDelta): number {
    const here = next.index === null ? undefined : byIndex.get(next.index)
    const known = sharedIds.has(next.id) ? undefined : byId.get(next.id)
    // Two indexes with one id are two calls.
    if (known !== undefined) return next.index !== null && here === undefined && next.name !== '' ? -1 : known
    const named = next.id !== '' || next.name !== ''
    // An index never seen, on a delta that names nothing, is a fragment that strayed from its head.
    return next.index === null ? calls.length - 1 : (here ?? (named ? -1 : calls.length - 1))
  }

  function begins(call: RoutedCall, next: CallDelta): boolean {
    if (next.id === '' || call.hostId === '') return beginsByName(call, next)
    if (next.id !== call.hostId) return beginsByOtherId(call, next)
    return next.name !== '' && call.balance.complete() && !isBlank(next.text)
  }

  /** Adds a delta to its call; a piece of the name is given back. */
  function grow(call: RoutedCall, next: CallDelta): string {
    const isAgain = next.name !== '' && next.name === call.name
    if (isAgain && call.balance.complete()) call.namedAgain = true
    const piece = isAgain || call.name === '' ? '' : next.name
    call.name = call.name === '' ? next.name : call.name + piece
    if (isPlaceholder(call, next)) {
      call.text = ''
      call.balance = createJsonBalance()
    }
    call.text += next.text
    call.balance.add(next.text)
    return piece
  }

  function route(next: CallDelta): Route {
    const found = positionOf(next)
    const before = calls[found]
    if (before && !before.namedAgain && repeats(before, next))
      return { position: found, begins: false, repeats: true, namePiece: '' }
    const starts = before === undefined || begins(before, next)
    if (starts && byId.has(next.id)) sharedIds.add(next.id)
    const call = starts ? newCall(before?.namedAgain ? before.name : '') : before
    const position = starts ? calls.push(call) - 1 : found
    if (starts && before) before.namedAgain = false
    call.hostId ||= next.id
    if (next.id !== '' && !byId.has(next.id)) byId.set(next.id, position)
    if (next.index !== null) byIndex.set(next.index, position)
    return { position, begins: starts, repeats: false, namePiece: grow(call, next) }
  }

  return { calls, route }
}
