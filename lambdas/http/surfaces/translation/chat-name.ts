import { createHash } from 'node:crypto'

const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/
const MAX_LENGTH = 64
const HASH_LENGTH = 8

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)

/** A name that says the same and that every host takes: at most 64 of `[A-Za-z0-9_-]`, always the same for a text. */
function shorten(text: string): string {
  const readable = text.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_LENGTH - HASH_LENGTH - 1)
  return `${readable}_${hashOf(text)}`
}

/** What a tool is called in a chat request; members of a namespace carry its name. */
export function chatNameOf(name: string, namespace: string | null): string {
  const joined = namespace === null ? name : `${namespace}__${name}`
  return ALLOWED.test(joined) ? joined : shorten(joined)
}

/** The same where another tool has that name already. */
export const otherChatNameOf = (name: string, namespace: string | null): string =>
  shorten(`${namespace ?? ''} ${name}`)

/** Hosts refuse ids of calls past 64 characters; a call and its result get the same short one. */
export const chatCallIdOf = (id: string): string => (id.length > MAX_LENGTH ? shorten(id) : id)
