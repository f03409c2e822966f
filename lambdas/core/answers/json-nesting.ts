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

/**
 * How many levels of objects and lists a JSON text has. Counts brackets outside strings, because what recurses may
 * not survive what it is to measure.
 */
export function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (character === 0x22) index = skipString(text, index) - 1
    else if (character === 0x7b || character === 0x5b) deepest = Math.max(deepest, (depth += 1))
    else if (character === 0x7d || character === 0x5d) depth -= 1
  }
  return deepest
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
