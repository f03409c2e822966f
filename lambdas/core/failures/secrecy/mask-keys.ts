import { createKeyHider } from './hide-keys.ts'

/** A shorter key, or a plain word, is a placeholder for a host that needs none: an answer may well use the word. */
const SHORTEST_KEY = 8
const LONG_WORD = 16
const isRandom = (key: string): boolean =>
  key.length >= LONG_WORD || (key.length >= SHORTEST_KEY && /\d/.test(key) && /[a-z]/i.test(key))

const BLANKS = /\s+|\\[nrt]/g

/** The base64 digits that a text has wherever in a longer one it stands. */
function base64FormsOf(key: string): string[] {
  return [0, 1, 2].flatMap(before => {
    const digits = btoa(`${'\0'.repeat(before)}${key}`).replace(/=+$/, '')
    const ownFrom = Math.ceil((before * 8) / 6)
    const ownTo = Math.floor(((before + key.length) * 8) / 6)
    const own = digits.slice(ownFrom, ownTo)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const hexOf = (key: string): string =>
  [...new TextEncoder().encode(key)].map(byte => byte.toString(16).padStart(2, '0')).join('')

/** Each call of an endpoint is masked by the same few keys. */
const knownForms = new Map<string, readonly string[]>()
const MOST_KEYS = 200
/** Clients may send anything as a key. */
const LONGEST_KNOWN = 256

function formsOf(key: string): readonly string[] {
  const known = knownForms.get(key)
  if (known) return known
  if (knownForms.size >= MOST_KEYS) knownForms.clear()
  const forms = encodingsOf(key)
  if (key.length <= LONGEST_KNOWN) knownForms.set(key, forms)
  return forms
}

function encodingsOf(key: string): string[] {
  const cases = /^[\da-f-]+$/i.test(key) ? [key.toLowerCase(), key.toUpperCase()] : []
  const inJson = JSON.stringify(key).slice(1, -1)
  const inSlashes = inJson.replaceAll('/', String.raw`\/`)
  const base64 = /^[\x21-\x7e]+$/.test(key) ? base64FormsOf(key) : []
  return [key, encodeURIComponent(key), inJson, inSlashes, hexOf(key), ...cases, ...base64]
}

/** Takes keys out of a text. */
export type KeyMask = ((text: string) => string) & {
  /** A JSON text that holds no key holds none either when a string or a count in it is another one of fewer characters. */
  readonly shortest?: number
}

/** Stands within one string of a JSON text, and in no count, wherever it stands there. */
const isWithinString = (form: string): boolean => !/["{}[\],:]/.test(form) && /\D/.test(form)

/**
 * Takes keys out of what an upstream answers, at a cost that every event of an answer can bear: the encodings in which
 * keys are really repeated, also split by blanks. A text that holds none is the same text, to the byte.
 */
export function createKeyMask(keys: Iterable<string>): KeyMask {
  const secrets = [...new Set(keys)].filter(isRandom)
  const forms = [...new Set(secrets.flatMap(formsOf))]
  if (forms.length === 0) return text => text
  // Nearly no answer needs it.
  let hider: ((text: string) => string) | null = null
  const shortest = Math.min(...forms.map(form => form.length))
  function mask(text: string): string {
    if (text.length < shortest) return text
    const solid = text.replaceAll(BLANKS, '')
    return forms.some(form => solid.includes(form)) ? (hider ??= createKeyHider(secrets))(text) : text
  }
  return forms.every(isWithinString) ? Object.assign(mask, { shortest }) : mask
}
