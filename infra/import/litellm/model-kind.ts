import { textOf } from '../read-values.ts'

/** What a deployment is for, as far as Backstop serves it; `unserved` names the kind that it does not. */
export type ModelKind = { kind: 'chat' | 'embeddings' } | { unserved: string }

const CHAT_MODES = new Set(['chat', 'responses'])
const EMBEDDING_NAME = /embed|(?:^|[/-])(?:bge|gte|e5|minilm|voyage)(?:-|$)/i
/** Names that say what a model makes other than text. */
const UNSERVED_NAMES: readonly (readonly [RegExp, string])[] = [
  [/whisper|transcri|(?:^|[/-])stt(?:-|$)/i, 'audio_transcription'],
  [/(?:^|[/-])tts(?:-|$)/i, 'audio_speech'],
  [/dall-e|gpt-image|stable-diffusion|imagen|flux[.-]/i, 'image_generation'],
  [/rerank/i, 'rerank'],
  [/moderation/i, 'moderation'],
  [/realtime/i, 'realtime'],
]

/** By `model_info.mode`, else by the names that the model has. */
export function modelKind(mode: unknown, names: readonly string[]): ModelKind {
  const stated = textOf(mode)?.toLowerCase()
  if (stated === 'embedding' || stated === 'embeddings') return { kind: 'embeddings' }
  if (stated !== undefined) return CHAT_MODES.has(stated) ? { kind: 'chat' } : { unserved: stated }
  const named = UNSERVED_NAMES.find(([pattern]) => names.some(name => pattern.test(name)))
  if (named) return { unserved: named[1] }
  return { kind: names.some(name => EMBEDDING_NAME.test(name)) ? 'embeddings' : 'chat' }
}
