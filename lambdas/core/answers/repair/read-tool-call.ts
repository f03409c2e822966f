import { isJsonObject, type Json, type JsonObject } from '../../json.ts'

/** What one tool call delta says, whatever it leaves out. */
export type CallDelta = {
  json: JsonObject
  id: string
  name: string
  /** Null where the host counts nothing. */
  index: number | null
  /** A piece of the arguments, or of a custom tool's input. */
  text: string
  isCustom: boolean
  /** Whether it names the field of its arguments, or its type, as the first delta of a call does. */
  looksLikeHead: boolean
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Some hosts send the arguments as an object; clients parse a string. */
export const argumentsText = (value: Json | undefined): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value)

export function readToolCall(json: JsonObject): CallDelta {
  const isCustom = isJsonObject(json.custom) && !isJsonObject(json.function)
  const body = isCustom ? json.custom : json.function
  const { name, arguments: args, input }: JsonObject = isJsonObject(body) ? body : {}
  return {
    json,
    id: textOf(json.id),
    name: textOf(name),
    index: typeof json.index === 'number' ? json.index : null,
    text: isCustom ? textOf(input) : argumentsText(args),
    isCustom,
    looksLikeHead: textOf(json.type) !== '' || args !== undefined || input !== undefined,
  }
}
