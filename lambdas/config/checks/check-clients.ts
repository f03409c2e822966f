import { EVERY_OTHER } from '../../core/callers/client-limits.ts'
import { didYouMean } from '../closest-name.ts'
import type { ConfigProblem } from '../config-error.ts'
import { entriesOf, field, isPlainName, PLAIN_NAME } from './read-loosely.ts'

type Path = readonly PropertyKey[]

/**
 * Whether the names that clients and models call each other by exist. Which clients there are is known only where
 * all of them have an entry: keys, and with them names, are made while the gateway runs.
 */
export function checkClients(config: unknown): ConfigProblem[] {
  const clients = field(config, 'clients')
  const models = entriesOf(field(config, 'models'))
  const aliases = models.map(([alias]) => alias)
  const declared = entriesOf(clients).map(([name]) => name)
  const isOpen = clients === undefined || declared.includes(EVERY_OTHER)
  return [
    ...entriesOf(clients).flatMap(([name, client]) => [
      ...(isPlainName(name) ? [] : [{ path: ['clients', name], message: PLAIN_NAME }]),
      ...checkNames(['clients', name, 'models'], field(client, 'models'), 'model', aliases),
    ]),
    ...models.flatMap(([alias, model]) =>
      checkNames(['models', alias, 'clients'], field(model, 'clients'), 'client', isOpen ? null : declared),
    ),
  ]
}

/** @param known null = any name may be one. */
function checkNames(path: Path, names: unknown, noun: string, known: readonly string[] | null) {
  if (!Array.isArray(names)) return []
  if (names.length === 0) {
    return [{ path, message: `expected at least one ${noun}; leave the list out to allow every ${noun}` }]
  }
  return names.flatMap((name: unknown, index): ConfigProblem[] => {
    if (typeof name !== 'string' || !known || known.includes(name)) return []
    const message = `unknown ${noun} ${JSON.stringify(name)}.${didYouMean(name, known)}`
    return [{ path: [...path, index], message }]
  })
}
