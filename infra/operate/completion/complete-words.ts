import type { CommandRow, Names } from '../../terminal/command-row.ts'

/** What is called what at the gateway that the commands would act on. */
export type KnownNames = Readonly<Record<'model' | 'endpoint' | 'provider' | 'setting', readonly string[]>>

/** What a word may become; `files`: the shell's own business. */
export type Completion = { words: readonly string[]; files: boolean }

const NOTHING: Completion = { words: [], files: false }

/** What a shell has before the word to complete: which command, and whether options reach it. */
type Line = { name: string | undefined; before: readonly string[]; isOpen: boolean }

/** `npm run [--silent] why -- …`, `npm start -- …`, `backstop why …`. */
function readLine(words: readonly string[]): Line | null {
  const [program, ...rest] = words
  if (program === undefined) return null
  if (program !== 'npm') return { name: rest[0], before: rest.slice(1), isOpen: true }
  const dashes = rest.indexOf('--')
  const [verb, name] = (dashes < 0 ? rest : rest.slice(0, dashes)).filter(word => !word.startsWith('-'))
  if (verb !== 'start' && verb !== 'run' && verb !== 'run-script') return null
  const before = dashes < 0 ? [] : rest.slice(dashes + 1)
  return { name: verb === 'start' ? verb : name, before, isOpen: dashes >= 0 }
}

function named(names: Names | undefined, known: KnownNames): Completion {
  if (names === undefined) return NOTHING
  if (names === 'file') return { words: [], files: true }
  return { words: typeof names === 'string' ? known[names] : names, files: false }
}

function completeOf(row: CommandRow, { before, isOpen }: Line, begun: string, known: KnownNames): Completion {
  // npm keeps options for itself until it has read two dashes.
  if (!isOpen) return { words: ['--'], files: false }
  const option = row.options[before.at(-1)?.replace(/^--/, '') ?? '']
  if (before.at(-1)?.startsWith('--') && option?.type === 'string') return named(option.names, known)
  if (!begun.startsWith('-')) return named(row.names, known)
  const options = Object.keys(row.options).map(name => (name.length === 1 ? `-${name}` : `--${name}`))
  const isNew = (name: string): boolean => !before.includes(name)
  return { words: [...options, '--help'].filter(isNew), files: false }
}

/**
 * What the last word of a command line may become, which may be empty: commands, options, or the names that stand there.
 * The first word is `npm` or the package's own command.
 */
export function completeWords(
  words: readonly string[],
  rows: readonly CommandRow[],
  known: KnownNames,
): Completion {
  const begun = words.at(-1) ?? ''
  const line = readLine(words.slice(0, -1))
  if (line === null) return NOTHING
  const row = rows.find(({ name }) => name === line.name)
  const names = rows.map(({ name }) => name).filter(name => words[0] !== 'npm' || name !== 'start')
  const isCommand = line.name === undefined
  const found = row ? completeOf(row, line, begun, known) : { words: isCommand ? names : [], files: false }
  return { ...found, words: [...new Set(found.words)].filter(word => word.startsWith(begun)) }
}
