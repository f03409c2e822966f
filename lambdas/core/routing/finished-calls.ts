/** In characters of the header that carries them, which bounds a session's record too. */
const MOST_CHARACTERS = 4_096

/** As it stands in a header: no comma, no blank, printable ASCII, everything else percent-encoded. */
const encode = (id: string): string =>
  id.toWellFormed().replaceAll(/[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu, encodeURIComponent)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not of our making: some client's id with a percent sign in it.
    return text
  }
}

/**
 * Both lists as one without repetitions, the newest last, as many of the newest as the header takes. An id that is
 * too long for it is left out, and keeps no other from going.
 */
export function joinFinished(older: readonly string[], newer: readonly string[]): readonly string[] {
  const newestFirst = new Set([...older, ...newer].reverse())
  const kept: string[] = []
  let left = MOST_CHARACTERS
  for (const id of newestFirst) {
    const length = encode(id).length + 1
    if (id === '' || length > left + 1) continue
    left -= length
    kept.push(id)
  }
  return kept.reverse()
}

/** Finished calls as the value of a header, at most 4 KB; empty where there are none. */
export const writeFinished = (ids: readonly string[]): string => joinFinished([], ids).map(encode).join(',')

/** The finished calls that such a header names. */
export const readFinished = (value: string): readonly string[] =>
  value
    .split(',')
    .map(part => decode(part.trim()))
    .filter(id => id !== '')
