import type { Writable } from 'node:stream'
import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan'

/** Colours a text where its reader can see colours. */
export type Paint = (style: Style, text: string) => string

/** Colour on a terminal; plain in a pipe and under NO_COLOR. */
export function paintFor(stream: Writable): Paint {
  // Asked once: to look at the stream takes longer than to colour a text.
  if (styleText('bold', '-', { stream }) === '-') return plain
  return (style, text) => styleText(style, text, { validateStream: false })
}

/** No colour anywhere. */
export const plain: Paint = (_style, text) => text

/** Text of a stranger made safe to print: no escape sequences; line breaks and tabs stay. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '')

/** Text of a stranger as one line that is safe to print. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ').trim()
