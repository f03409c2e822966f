import { decodedRuns } from './decoded-runs.ts'
import { lettersView } from './letters.ts'
import { misreadBytes } from './misread-bytes.ts'
import { numberLists } from './number-lists.ts'
import { openEscapes } from './open-escapes.ts'
import { viewOf, type TextView } from './text-view.ts'

/**
 * The letters and digits of a text in every encoding in which upstreams quote: as it stands, with its escapes opened
 * (JSON, URL, HTML, Unicode), what its base64 and hexadecimal stretches and its lists of numbers hold, and as UTF-8
 * that was taken for Latin-1. Linear in the text.
 */
export function readingsOf(text: string): readonly TextView[] {
  const opened = openEscapes(viewOf(text))
  const readings = [lettersView(opened)]
  for (const decoded of decodedRuns(opened)) readings.push(lettersView(openEscapes(decoded)))
  for (const list of numberLists(opened)) readings.push(lettersView(openEscapes(list)))
  const misread = misreadBytes(opened)
  if (misread) readings.push(lettersView(misread))
  return readings
}
