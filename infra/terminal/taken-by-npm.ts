import { callOf, type CommandRow } from './command-row.ts'
import { shellWord } from './shell-word.ts'

/** npm has it too, and its own is kept in a file: that of a client's certificate. */
const KEPT_BY_NPM = 'key'

/** What npm says of an option whose value it has left among the words: `--port 4441`. */
const WITHOUT_VALUE = 'true'

type Call = { args: readonly string[]; variables: Readonly<Record<string, string | undefined>> }

/**
 * What to say where npm has taken options for its own, because no `--` stood before them; null where it has not. Of
 * `--port 4441` it passes on the bare word, which is put back where it can belong to one option alone.
 */
export function takenByNpm(row: CommandRow, { args, variables }: Call): string | null {
  if (variables['npm_lifecycle_event'] !== row.name) return null
  const taken = Object.entries(row.options).flatMap(([name, option]) => {
    const value = name === KEPT_BY_NPM ? undefined : variables[`npm_config_${name.replaceAll('-', '_')}`]
    return value === undefined ? [] : [{ name, option, value }]
  })
  const [first] = taken
  if (first === undefined) return null
  const words = [...args]
  const values = new Map<string, string>()
  const lacking = (): typeof taken =>
    taken.filter(
      ({ name, option, value }) => option.type === 'string' && value === WITHOUT_VALUE && !values.has(name),
    )
  const giveOnly = (names: typeof taken, found: readonly string[]): void => {
    const [[only, ...more], [word, ...others]] = [names, found]
    if (only === undefined || more.length > 0 || word === undefined || others.length > 0) return
    values.set(only.name, word)
    words.splice(words.indexOf(word), 1)
  }
  giveOnly(
    lacking().filter(({ option }) => option.value === 'N'),
    words.filter(word => /^\d+$/.test(word)),
  )
  giveOnly(lacking(), words)
  const options = taken.flatMap(({ name, option, value }) => {
    if (option.type === 'boolean') return [`--${name}`]
    return [`--${name}`, values.get(name) ?? (value === WITHOUT_VALUE ? 'VALUE' : value)]
  })
  return `npm took --${first.name} for an option of its own. Write: ${callOf(row)} -- ${[...words, ...options].map(shellWord).join(' ')}`
}
