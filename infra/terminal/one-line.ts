import { printable } from './paint.ts'

/** Text of a stranger as one line that is safe to print. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ').trim()
