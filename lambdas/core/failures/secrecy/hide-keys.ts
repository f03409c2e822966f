import { createMarks } from './cut-marked.ts'
import { readingsOf } from './readings.ts'
import { lettersOf } from './letters.ts'
import { createWindowIndex, type WindowIndex } from './window-index.ts'

const KEY = '[key]'
/** Shorter keys are no secrets: they are placeholders for hosts that need none, and words of every error. */
const SHORTEST_KEY = 6
/** A key of this many letters and digits is known by a part of it. */
const LONG_KEY = 16
const MIDDLE_KEY = 8
/** A shorter one may be made of words, so most of it must stand there. */
const MOST_OF_A_WORD = 0.75
const LONGEST_KEY = 4_096

const hasDigit = (window: string): boolean => /\d/.test(window)

type Indexes = Map<number, WindowIndex>

function indexOf(indexes: Indexes, size: number): WindowIndex {
  const index = indexes.get(size) ?? createWindowIndex(size)
  indexes.set(size, index)
  return index
}

/** The whole key, and the parts of it that no sentence holds by chance. */
function addKey(indexes: Indexes, bytes: Uint8Array): void {
  if (bytes.length < SHORTEST_KEY) return
  if (bytes.length < MIDDLE_KEY) return indexOf(indexes, bytes.length).add(bytes)
  if (bytes.length < LONG_KEY) {
    indexOf(indexes, Math.ceil(bytes.length * MOST_OF_A_WORD)).add(bytes)
    indexOf(indexes, 6).add(bytes, hasDigit)
  } else {
    indexOf(indexes, 12).add(bytes)
    indexOf(indexes, 8).add(bytes, hasDigit)
  }
}

/**
 * Takes keys out of an upstream's words, in any encoding, split, in other capitals, whole or in part. To be used
 * before anything else reads them. What is left is JSON where it was.
 */
export function createKeyHider(keys: Iterable<string>): (words: string) => string {
  const indexes: Indexes = new Map()
  const encoder = new TextEncoder()
  for (const key of keys) addKey(indexes, lettersOf(encoder.encode(key.slice(0, LONGEST_KEY))))
  return words => {
    if (indexes.size === 0 || words === '') return words
    const marks = createMarks(words, { isParsed: true })
    for (const reading of readingsOf(words)) {
      for (const index of indexes.values()) {
        index.find(reading.bytes, at => marks.add(reading, at, index.size))
      }
    }
    return marks.cut(KEY)
  }
}
