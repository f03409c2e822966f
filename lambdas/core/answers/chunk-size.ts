import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { holdsAnswer, holdsThought, isFilled } from './repair/output-fields.ts'

/** Fields that say which answer a chunk belongs to, and nothing of it. */
const LABELS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'provider',
  'system_fingerprint',
  'service_tier',
  'choices',
  'obfuscation',
  'usage',
])

const CHOICE_LABELS: ReadonlySet<string> = new Set(['index', 'delta'])

function isBareChoice(choice: Json): boolean {
  if (!isJsonObject(choice)) return true
  const { delta } = choice
  if (isJsonObject(delta) && (holdsAnswer(delta) || holdsThought(delta))) return false
  return Object.keys(choice).every(name => CHOICE_LABELS.has(name) || !isFilled(choice[name]))
}

/** A chunk without output, finish reason or anything else worth keeping. */
export function isBareChunk(chunk: JsonObject): boolean {
  for (const name in chunk) if (!LABELS.has(name)) return false
  return !Array.isArray(chunk.choices) || chunk.choices.every(isBareChoice)
}

/** Characters of text in a value: names and values. */
export function textLength(value: Json | undefined): number {
  let length = 0
  const open: (Json | undefined)[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') length += next.length
    else if (Array.isArray(next)) for (const entry of next) open.push(entry)
    else if (isJsonObject(next)) {
      for (const name in next) {
        length += name.length
        open.push(next[name])
      }
    }
  }
  return length
}
