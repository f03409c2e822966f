import { decodedRuns } from './decoded-runs.ts'
import { openEscapes } from './open-escapes.ts'
import { lettersView } from './letters.ts'
import { viewOf, type TextView } from './text-view.ts'

/**
 * The letters and digits of a text in every encoding in which upstreams quote: as it stands, with its escapes opened
 * (JSON, URL, HTML, Unicode), and what its base64 and hexadecimal stretches hold. Linear in the text.
 */
export function readingsOf(text: string): readonly TextView[] {
  const opened = openEscapes(viewOf(text))
  const readings = [lettersView(opened)]
  for (const decoded of decodedRuns(opened)) readings.push(lettersView(openEscapes(decoded)))
  return readings
}
