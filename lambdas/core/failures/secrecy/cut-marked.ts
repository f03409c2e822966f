import type { TextView } from './text-view.ts'

export type Marks = {
  /** Marks these bytes of a view, and what lies between them, wherever in the original they stand. */
  add(view: TextView, at: number, length: number): void
  /** The text with `by` in the place of each marked stretch. */
  cut(by: string): string
}

/** What holds JSON together, unless it is escaped. */
const holdsJson = (between: string): boolean => /["{}[\],:]/.test(between.replaceAll(/\\./g, ''))

const isNumber = (word: string): boolean => /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word)
const isName = (word: string): boolean => /^(?:null|true|false)$/.test(word)
const MOST_AROUND = 32

/** The word in which a stretch of a text stands. */
function wordAround(text: string, begin: number, end: number): [first: number, last: number] {
  const isWord = (at: number): boolean => /[\w.+-]/.test(text.charAt(at))
  let [first, last] = [begin, end]
  while (begin - first < MOST_AROUND && isWord(first - 1)) first -= 1
  while (last - end < MOST_AROUND && isWord(last)) last += 1
  return [first, last]
}

/** How a character is marked: as one of a stretch, or as one of a number that must stay one. */
const [STRETCH, NUMBER] = [1, 2]

/**
 * Marks what is to be taken out of a text.
 * @param isParsed it must be JSON afterwards where it was
 */
export function createMarks(text: string, { isParsed }: { isParsed: boolean }): Marks {
  const marked = new Uint8Array(text.length)
  let isMarked = false

  /** Marks what stands between two pieces of JSON. A number of JSON stays one, and `null` says nothing. */
  function addGroup(begin: number, end: number): void {
    const [first, last] = wordAround(text, begin, end)
    const word = text.slice(first, last)
    if (isNumber(word)) {
      for (let at = first; at < last; at += 1) marked[at] ||= NUMBER
    } else if (!isName(word) && !holdsJson(text.slice(begin, end))) marked.fill(STRETCH, begin, end)
  }

  /** Keeps the brackets of `["s","k"]` and `[115,107]`. */
  function addGroups({ from, to }: TextView, at: number, length: number): void {
    let begin = from[at] ?? 0
    for (let place = at; place < at + length; place += 1) {
      const [end = 0, next = 0] = [to[place], from[place + 1]]
      if (place + 1 < at + length && !holdsJson(text.slice(end, next))) continue
      addGroup(begin, end)
      begin = next
    }
  }

  function add(view: TextView, at: number, length: number): void {
    const [begin = 0, end = 0] = [view.from[at], view.to[at + length - 1]]
    isMarked = true
    if (isParsed && holdsJson(text.slice(begin, end))) addGroups(view, at, length)
    else marked.fill(STRETCH, begin, end)
  }

  function cut(by: string): string {
    if (!isMarked) return text
    let [clean, kept] = ['', 0]
    for (let at = 0; at < text.length;) {
      const mark = marked[at]
      if (!mark) {
        at += 1
        continue
      }
      let end = at + 1
      while (end < text.length && marked[end] === mark) end += 1
      clean += text.slice(kept, at) + (mark === NUMBER ? '0' : by)
      kept = end
      at = end
    }
    return clean + text.slice(kept)
  }

  return { add, cut }
}
