import { lengthOf } from './text-table.ts'

/** Breaks a text between its words, so that no line is longer than a width where its words allow it. */
export function wrapWords(text: string, width: number, indent = '  '): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && lengthOf(last) + 1 + lengthOf(word) <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(last === undefined ? word : `${indent}${word}`)
  }
  return lines
}
