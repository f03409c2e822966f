import { printable } from './paint.ts'

/** One word as a shell takes it, for a person to paste. */
export function shellWord(text: string): string {
  const shown = printable(text)
  return /^[\w./:@%+=,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`
}
