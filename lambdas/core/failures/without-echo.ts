import { isJsonObject } from '../json.ts'

const WINDOW = 16
const STEP = 8
/** Of very long prompts only the ends are compared: what is quoted is a beginning or what came last. */
const COMPARED = 100_000

/** Every text inside a value, line by line of what a client sent. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  const within = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  return within.flatMap(textsIn)
}

const compared = (text: string): string =>
  text.length <= 2 * COMPARED ? text : `${text.slice(0, COMPARED)}\n${text.slice(-COMPARED)}`

/**
 * Takes out of an upstream's words what they quote of the prompt, from some twenty characters on: prompts must not
 * reach a log, and upstreams like to say which part of one they did not understand.
 */
export function withoutEcho(words: string, prompt: unknown): string {
  const text = compared(textsIn(prompt).join('\n')).replaceAll(/\s+/g, ' ')
  let [clean, kept] = ['', 0]
  for (let at = 0; at + WINDOW <= words.length; at += STEP) {
    if (!text.includes(words.slice(at, at + WINDOW))) continue
    const from = Math.max(kept, at - STEP)
    if (from > kept || clean === '') clean += `${words.slice(kept, from)}[prompt]`
    kept = Math.min(words.length, at + WINDOW + STEP)
  }
  return clean + words.slice(kept)
}
