import { parseEnv } from 'node:util'
import { CommandError } from '../../terminal/command-error.ts'

const PLAIN = /^[\w.,:/+=@~-]*$/

/**
 * The text of a `.env` file with one variable set, or without it (null): comments, order and every other variable
 * stay. Throws where that cannot be had.
 */
export function editDotEnv(text: string, name: string, value: string | null): string {
  const assignment = new RegExp(
    `^(\\s*(?:export\\s+)?${name}\\s*=\\s*)(?:'[^']*'|"[^"]*"|\`[^\`]*\`|[^#]*?)(\\s*#.*?|\\s*)$`,
  )
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const last = lines.findLastIndex(line => assignment.test(line))
  const kept = lines.flatMap((line, index) => {
    const found = assignment.exec(line)
    if (!found) return [line]
    // Of several the last one counts; the others would come back to life once it is removed.
    return index === last && value !== null ? [`${found[1]}${quoted(value)}${found[2]}`] : []
  })
  const added = last < 0 && value !== null ? [...kept, `${name}=${quoted(value)}`] : kept
  const edited = added.length === 0 ? '' : `${added.join('\n')}\n`
  assertEdited(text, edited, [name, value])
  return edited
}

function quoted(value: string): string {
  if (PLAIN.test(value)) return value
  const quote = ["'", '"', '`'].find(candidate => !value.includes(candidate))
  return quote === undefined ? value : `${quote}${value}${quote}`
}

/** A value over several lines, for one, may hold what looks like an assignment. */
function assertEdited(before: string, after: string, [name, value]: readonly [string, string | null]): void {
  const { [name]: _, ...others } = parseEnv(before)
  const expected = value === null ? others : { ...others, [name]: value }
  const found = parseEnv(after)
  const names = new Set([...Object.keys(expected), ...Object.keys(found)])
  if ([...names].every(key => expected[key] === found[key])) return
  throw new CommandError(`.env was not changed: ${name} cannot be edited safely. Edit the file by hand.`)
}
