import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** What an image of ordinary size costs, by the detail asked for. */
const IMAGE_TOKENS: ReadonlyMap<Json | undefined, number> = new Map([
  ['low', 85],
  ['high', 1_105],
])
const DEFAULT_IMAGE_TOKENS = 765

const BYTES_PER_AUDIO_TOKEN = 1_000
const BYTES_PER_WAV_TOKEN = 2_500
const BYTES_PER_FILE_TOKEN = 30
const BYTES_PER_VIDEO_TOKEN = 400

/** For what is named by an address or an id, so that its size is unknown. */
const UNSEEN_TOKENS = 1_000

/** The object that a part carries under its own type's name, or the part itself. */
function payloadOf(part: JsonObject, name: string): JsonObject {
  const payload = part[name]
  return isJsonObject(payload) ? payload : part
}

function bySize(data: Json | undefined, bytesPerToken: number): number {
  if (typeof data !== 'string' || /^https?:/i.test(data)) return UNSEEN_TOKENS
  return (data.length * 3) / 4 / bytesPerToken
}

function audioTokens({ data, url, format }: JsonObject): number {
  return bySize(data ?? url, format === 'wav' ? BYTES_PER_WAV_TOKEN : BYTES_PER_AUDIO_TOKEN)
}

/** Tokens of a content part that is not text; null where it is none of these. Never the length of its base64. */
export function estimateMediaTokens(part: JsonObject): number | null {
  switch (part.type) {
    case 'image_url':
    case 'input_image':
    case 'image':
      return IMAGE_TOKENS.get(payloadOf(part, 'image_url').detail ?? part.detail) ?? DEFAULT_IMAGE_TOKENS
    case 'input_audio':
    case 'audio_url':
      return audioTokens(payloadOf(part, part.type))
    case 'video_url':
    case 'input_video':
      return bySize(payloadOf(part, part.type).url, BYTES_PER_VIDEO_TOKEN)
    case 'file':
    case 'input_file':
      return bySize(payloadOf(part, 'file').file_data, BYTES_PER_FILE_TOKEN)
    default:
      return null
  }
}
