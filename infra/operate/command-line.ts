import { parseArgs } from 'node:util'
import { didYouMean } from '../../lambdas/config/closest-name.ts'
import { CommandError } from '../terminal/command-error.ts'
import { callOf, type CommandRow } from '../terminal/command-row.ts'
import { columnsOf, synopsisOf, usageOf } from '../terminal/command-usage.ts'
import { runMain } from '../terminal/run-main.ts'
import { takenByNpm } from '../terminal/taken-by-npm.ts'

const HELP = { help: { type: 'boolean', short: 'h' } } as const

type Parsed<Row extends CommandRow> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: Row['options'] & typeof HELP }>
>

/** What stood behind the name of a command, and how it says that this was not enough. */
export type CommandLine<Row extends CommandRow> = Pick<Parsed<Row>, 'values' | 'positionals'> & {
  /** An error that names what is wrong and shows how the command is called. */
  misuse(what: string): CommandError
}

const misuseOf =
  (row: CommandRow) =>
  (what: string): CommandError =>
    new CommandError(`${what}\n${synopsisOf(row)}\nAll options: ${callOf(row)} -- --help`)

/** Reads a command line as its row says. Throws a CommandError that names what is wrong with it. */
export function readCommandLine<const Row extends CommandRow>(
  row: Row,
  { args = process.argv.slice(2), variables = process.env } = {},
): CommandLine<Row> & { help: boolean } {
  const misuse = misuseOf(row)
  const taken = takenByNpm(row, { args, variables })
  if (taken !== null) throw new CommandError(taken)
  const options = { ...row.options, ...HELP }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options,
    }) as Parsed<Row>
    const help = Reflect.get(values, 'help') === true
    if (!help && row.words === undefined && positionals.length > 0)
      throw misuse(`${callOf(row)} takes no words, and was given "${positionals[0]}".`)
    return { values, positionals, help, misuse }
  } catch (error) {
    throw error instanceof CommandError ? error : misuse(wordsOf(error, Object.keys(options)))
  }
}

/** What `parseArgs` complains of, in words; its own say how to pass what looks like an option and is none. */
function wordsOf(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error)
  const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
  if (unknown !== undefined) {
    const dashes = known.map(name => `--${name}`)
    return `There is no option --${unknown}.${didYouMean(`--${unknown}`, dashes)}`
  }
  const [, lacking] =
    /^Option '(?:-\w, )?(--[\w-]+) <value>' argument (?:missing|is ambiguous)/.exec(message) ?? []
  if (lacking !== undefined)
    return `${lacking} needs a value: ${lacking} VALUE, or ${lacking}=VALUE where it begins with a dash.`
  return message.split('\n')[0] ?? message
}

/** Runs a command: `--help` prints its usage, whatever is thrown is one error on stderr and exit code 1. */
export function runCommandLine<const Row extends CommandRow>(
  row: Row,
  main: (line: CommandLine<Row>) => Promise<number>,
): Promise<void> {
  return runMain(async () => {
    const { help, ...line } = readCommandLine(row)
    if (!help) return main(line)
    process.stdout.write(`${usageOf(row, columnsOf(process.stdout))}\n`)
    return 0
  })
}
