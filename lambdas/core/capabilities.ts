import type { Failure } from './failures/failure.ts'
import { isConditional } from './failures/refused-detail.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { recordOf } from './record-of.ts'

/** What the gateway knows of one thing that endpoints can or cannot do. */
type CapabilityRow = {
  /** Whether a request needs it; null = no request does, because an endpoint without it is asked in another way. */
  readonly needs: ((body: JsonObject) => boolean) | null
  /** Fields of the request whose refusal as such refuses it. */
  readonly fields: readonly string[]
  /** Whether a failure says that the endpoint lacks it, given that the request needed it. */
  readonly refusedBy: (failure: Failure, body: JsonObject) => boolean
  /** What an endpoint without it has, in a few words. */
  readonly words: string
  /** Why an endpoint was skipped for it. */
  readonly skipped: string
}

const isFilled = (list: Json | undefined): boolean => Array.isArray(list) && list.length > 0

/** Tools of the usual kind, and none of one host's own, whose refusal says nothing about the others. */
const asksForFunctions = ({ tools }: JsonObject): boolean =>
  !Array.isArray(tools) || tools.every(tool => isJsonObject(tool) && tool.type === 'function')

const IMAGE_PARTS: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image'])
const holdsImage = (message: Json): boolean =>
  isJsonObject(message) &&
  Array.isArray(message.content) &&
  message.content.some(part => isJsonObject(part) && IMAGE_PARTS.has(part.type))

/** Several calls at once were refused, not calls. */
export const PARALLEL_CALLS = /\bparallel[ _](?:tool|function)/i
const OTHER_MEDIA = /\b(?:audio|video|pdf|file)s?\b|音频/i
const IMAGES =
  /\b(?:images?|vision|mmproj|multi-?modal)\b|image_url|content must be a string|图片|图像|视觉|多模态/i
/** One image was refused, not images. */
const BROKEN_IMAGE =
  /\b(?:corrupt\w*|truncated|undecodable|download\w*|fetch\w*|base64|resolution|format|mime)\b|\binvalid (?:image|url|data)/i

const never = (): boolean => false

/**
 * One row a capability: it can be declared for an endpoint, needed by a request, refused by an answer and then
 * remembered, and is the reason why an endpoint is skipped.
 */
export const CAPABILITIES = {
  tools: {
    needs: ({ tools, functions }) => isFilled(tools) || isFilled(functions),
    fields: ['tools', 'functions'],
    refusedBy: ({ kind, message }, body) =>
      kind === 'unsupported_tools' && !isConditional(message) && asksForFunctions(body),
    words: 'no tools',
    skipped: 'it has no tools, and the request needs them',
  },
  vision: {
    needs: ({ messages }) => Array.isArray(messages) && messages.some(holdsImage),
    fields: [],
    refusedBy: ({ kind, message }) =>
      kind === 'unsupported_modality' &&
      !isConditional(message) &&
      !BROKEN_IMAGE.test(message) &&
      (IMAGES.test(message) || !OTHER_MEDIA.test(message)),
    words: 'no images',
    skipped: 'it takes no images, and the request has some',
  },
  json: {
    needs: ({ response_format: format }) => isJsonObject(format) && format.type !== 'text',
    fields: ['response_format', 'json_schema'],
    refusedBy: never,
    words: 'no JSON mode',
    skipped: 'it has no JSON mode, and the request needs it',
  },
  /** Answers that come in pieces. */
  stream: {
    needs: null,
    fields: ['stream'],
    refusedBy: never,
    words: 'no streams',
    skipped: '',
  },
} satisfies Record<string, CapabilityRow>

export type Capability = keyof typeof CAPABILITIES
type Needed<Name extends Capability> = (typeof CAPABILITIES)[Name]['needs'] extends null ? never : Name
/** A capability that a request may need. */
export type NeededCapability = { [Name in Capability]: Needed<Name> }[Capability]

/** What a request demands of an endpoint beyond plain text. */
export type Needs = Record<NeededCapability, boolean>

/** True or false where it is declared or known; null = unknown, so that it is tried. */
export type Declared = Record<Capability, boolean | null>

const isCapability = (name: string): name is Capability => Object.hasOwn(CAPABILITIES, name)
const isNeeded = (name: Capability): name is NeededCapability => CAPABILITIES[name].needs !== null

export const CAPABILITY_NAMES: readonly Capability[] = Object.keys(CAPABILITIES).filter(isCapability)
export const NEEDED_CAPABILITIES: readonly NeededCapability[] = CAPABILITY_NAMES.filter(isNeeded)

/** The capability that is refused where this field is refused as such. */
export function capabilityOfField(field: string): Capability | undefined {
  const rows: Record<Capability, CapabilityRow> = CAPABILITIES
  return CAPABILITY_NAMES.find(name => rows[name].fields.includes(field))
}

/** One value for each capability. */
export const perCapability = <Value>(valueOf: (name: Capability) => Value): Record<Capability, Value> =>
  recordOf(CAPABILITY_NAMES, valueOf)

/** What a chat request needs, by its body. */
export const needsOf = (body: JsonObject): Needs =>
  recordOf(NEEDED_CAPABILITIES, name => CAPABILITIES[name].needs(body))
