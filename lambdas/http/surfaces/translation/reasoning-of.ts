import type { Json, JsonObject } from '../../../core/json.ts'

const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Thoughts have two names. */
export const reasoningOf = ({ reasoning_content: content, reasoning }: JsonObject): string =>
  stringOf(content) || stringOf(reasoning)
