/**
 * How many levels of objects and lists a JSON text has. Counts brackets outside strings, because what recurses may
 * not survive what it is to measure.
 */
export function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (inString) {
      if (character === 0x5c) index += 1
      else if (character === 0x22) inString = false
    } else if (character === 0x22) inString = true
    else if (character === 0x7b || character === 0x5b) deepest = Math.max(deepest, (depth += 1))
    else if (character === 0x7d || character === 0x5d) depth -= 1
  }
  return deepest
}
