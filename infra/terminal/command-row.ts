/** What a shell may complete a word with. */
export type Names = 'model' | 'endpoint' | 'provider' | 'setting' | 'file' | readonly string[]

/** One option, as `parseArgs` takes it, and what is told of it. */
export type OptionRow = {
  type: 'string' | 'boolean'
  short?: string
  /** Stands for the value in the usage: `NAME`. */
  value?: string
  /** What it does, in a clause. */
  does: string
  names?: Names
}

/** One word that is no option, or one form of it. */
export type WordRow = { word: string; does: string }

/** One command of npm: from it come its usage, what it parses and what a shell completes. */
export type CommandRow = {
  /** `npm run why -- ` */
  name: string
  /** What may stand behind the name beside options, as in a usage; absent = nothing. */
  words?: string
  /** What it does, in a sentence. */
  does: string
  explained?: readonly WordRow[]
  options: Readonly<Record<string, OptionRow>>
  /** What else is good to know, a paragraph each. */
  notes?: readonly string[]
  names?: Names
}

/** `npm run why --`: how a command is called. */
export const callOf = ({ name }: Pick<CommandRow, 'name'>): string =>
  name === 'start' ? 'npm start' : `npm run ${name}`
