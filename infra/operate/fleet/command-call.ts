import { callOf } from '../../terminal/command-row.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import type { FleetChoice } from './fleet-options.ts'

/** How a person calls another command about the same fleet: `npm run why -- last --stack Backstop-prod`. */
export type CommandCall = (name: keyof typeof COMMANDS, ...words: readonly string[]) => string

/** The options that name a fleet; never the key, which would stand on the screen and in the shell's history. */
export const fleetWords = ({ url, stack, region, profile }: FleetChoice): string[] =>
  Object.entries({ url, stack, region, profile }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  )

/** Calls of commands that repeat what names the fleet: what a command prints can be pasted as it is. */
export function callsAbout(choice: FleetChoice): CommandCall {
  return (name, ...words) => {
    const row = COMMANDS[name]
    const all = [...words, ...fleetWords(choice)]
    return all.length === 0 ? callOf(row) : `${callOf(row)} -- ${all.map(shellWord).join(' ')}`
  }
}
