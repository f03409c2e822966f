import { type Block, blocksOf, type Page } from './page.ts'

/** One command of a page, and the output that stands below it; null = none is shown. */
export type Sample = {
  line: number
  language: 'sh' | 'js'
  command: string
  output: string | null
  /** Where the output begins in the page, in characters. */
  outputAt: number
  /** It wants a gateway that has seen no request yet. */
  fresh: boolean
}

type Console = Pick<Block, 'text' | 'textAt' | 'line'> & { fresh: boolean }

/** Commands that begin with `$ `, each with the lines up to the next one as its output. */
export function consoleSamples({ text, textAt, line, fresh }: Console): Sample[] {
  return [...text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n?)*)/gm)].map((match, index) => {
    const [whole, command = '', output = ''] = match
    const outputAt = textAt + match.index + whole.length - output.length
    return { line, language: 'sh', command, output, outputAt, fresh: fresh && index === 0 }
  })
}

/**
 * The samples of a page, in order. Fences say so by a word after their language: `sh play` and `js play` hold a
 * command, and an `output` fence next to it what it prints; `console play` holds both. `fresh` starts a new gateway.
 * A comment that begins with `play` prepares what the page then shows.
 */
export function samplesOf({ text }: Page): Sample[] {
  const blocks = blocksOf(text)
  return blocks.flatMap(({ words, text: command, textAt, line }, index): Sample[] => {
    const [language = '', ...marks] = words
    if (!marks.includes('play')) return []
    const fresh = marks.includes('fresh')
    if (language === 'console') return consoleSamples({ text: command, textAt, line, fresh })
    if (language !== 'sh' && language !== 'js') throw new Error(`line ${line}: ${language} cannot be played`)
    const next = blocks[index + 1]
    const shown = next?.words.includes('output') ? next : null
    return [{ line, language, command, output: shown?.text ?? null, outputAt: shown?.textAt ?? 0, fresh }]
  })
}
