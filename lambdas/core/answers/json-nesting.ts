const QUOTE = '"'

/** The position behind the string that begins at `start`; the end of the text where it never closes. */
export function skipString(text: string, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end >= 0; end = text.indexOf(QUOTE, end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === 0x5c) before -= 1
    if ((end - before) % 2 === 1) return end + 1
  }
  return text.length
}

export type JsonMeasure = {
  /** Levels of objects and lists. */
  depth: number
  /** Objects, lists and strings, the names of fields included: what a parser takes its time for. */
  values: number
  /** Commas: as many as there are entries of lists and fields of objects behind the first ones. */
  commas: number
}

/** Past this many commas no text is parsed: OpenAI takes 300,000 token ids in one request of embeddings. */
export const MOST_COMMAS = 524_288

/**
 * Measures a JSON text before it is parsed, without recursion: what recurses may not survive what it is to measure.
 * Stops counting where there are more than `mostValues`.
 */
export function measureJson(text: string, mostValues = Infinity): JsonMeasure {
  let depth = 0
  let deepest = 0
  let values = 0
  let commas = 0
  for (let index = 0; index < text.length && values <= mostValues; index += 1) {
    const character = text.charCodeAt(index)
    if (character === 0x2c) commas += 1
    else if (character === 0x22) {
      values += 1
      index = skipString(text, index) - 1
    } else if (character === 0x7b || character === 0x5b) {
      values += 1
      deepest = Math.max(deepest, (depth += 1))
    } else if (character === 0x7d || character === 0x5d) depth -= 1
  }
  return { depth: deepest, values, commas }
}

/** The position behind the object or list that begins at `start`, or -1 where it never closes. */
export function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (character === 0x22) index = skipString(text, index) - 1
    else if (character === 0x7b || character === 0x5b) depth += 1
    else if (character === 0x7d || character === 0x5d) {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
  return -1
}
