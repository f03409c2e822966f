import type { TextView } from './text-view.ts'

export type Marks = {
  /** Marks these bytes of a view, and what lies between them, wherever in the original they stand. */
  add(view: TextView, at: number, length: number): void
  /** The text with `by` in the place of each marked stretch. */
  cut(by: string): string
}

/** What holds JSON together, unless it is escaped. */
const holdsJson = (between: string): boolean => /["{}[\],:]/.test(between.replaceAll(/\\./g, ''))

/**
 * Marks what is to be taken out of a text.
 * @param isParsed it must be JSON afterwards where it was
 */
export function createMarks(text: string, { isParsed }: { isParsed: boolean }): Marks {
  const marked = new Uint8Array(text.length)
  let isMarked = false

  function add({ from, to }: TextView, at: number, length: number): void {
    const [begin = 0, end = 0] = [from[at], to[at + length - 1]]
    if (isParsed && holdsJson(text.slice(begin, end))) return
    isMarked = true
    marked.fill(1, begin, end)
  }

  function cut(by: string): string {
    if (!isMarked) return text
    let [clean, kept] = ['', 0]
    for (let at = marked.indexOf(1); at >= 0; at = marked.indexOf(1, kept)) {
      clean += text.slice(kept, at) + by
      const end = marked.indexOf(0, at)
      kept = end < 0 ? text.length : end
    }
    return clean + text.slice(kept)
  }

  return { add, cut }
}
