import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { printable } from '../../terminal/paint.ts'

/** What somebody wants of the keys. */
export type KeyTask =
  | { do: 'list' }
  | { do: 'set'; provider: string }
  | { do: 'add-client'; client: string }
  | { do: 'remove'; provider: string }
  | { do: 'remove-client'; client: string }

const CLIENT_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** Reads the words after `npm run keys --`. Throws the usage, or what is wrong with a name. */
export function parseKeyWords(
  words: readonly string[],
  { providers, usage }: { providers: readonly string[]; usage: string },
): KeyTask {
  const [first, second, third, ...rest] = words
  if (rest.length > 0) throw new CommandError(tooMany(first) ?? usage)
  if (first === 'list' && second === undefined) return { do: 'list' }
  if (first === 'client' && second === 'add' && third !== undefined)
    return { do: 'add-client', client: clientNamed(third) }
  if (first === 'remove' && second === 'client' && third !== undefined)
    return { do: 'remove-client', client: third }
  if (third !== undefined) throw new CommandError(tooMany(first) ?? usage)
  if (first === 'set' && second !== undefined)
    return { do: 'set', provider: providerNamed(second, providers) }
  // Whatever stands in the secret may be removed, a provider of this configuration or not.
  if (first === 'remove' && second !== undefined && second !== 'client')
    return { do: 'remove', provider: second }
  throw new CommandError(usage)
}

/** A third word is most likely the key itself, which must not be repeated in an answer. */
const tooMany = (first: string | undefined): string | null =>
  first === 'set'
    ? 'Nothing was changed. Do not put a key on the command line, where the shell history keeps it: ' +
      'pass it on stdin, and replace this one at its provider.'
    : null

function clientNamed(name: string): string {
  if (CLIENT_NAME.test(name)) return name
  throw new CommandError('Invalid client name: use up to 64 letters, digits, dots, dashes and underscores.')
}

function providerNamed(id: string, providers: readonly string[]): string {
  if (providers.includes(id)) return id
  const closest = didYouMean(id, providers)
  // What comes near no name may be the key itself, which must not be repeated.
  const unknown = closest === '' ? 'Unknown provider.' : `No provider "${printable(id)}".${closest}`
  throw new CommandError(`${unknown} Nothing was changed.`)
}
