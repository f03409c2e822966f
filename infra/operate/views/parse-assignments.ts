import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import {
  SETTING_NAMES,
  describeSetting,
  parseSetting,
} from '../../../lambdas/core/settings/setting-values.ts'
import { CommandError } from '../../terminal/command-error.ts'

/** A new value for an override; null removes it. */
type Value = string | number | boolean | null

/**
 * Reads `name=value` words. Throws one CommandError that names every mistake, so that nothing is set by half.
 * @param known overrides in the table: whatever stands there may be removed, a setting or not.
 */
export function parseAssignments(words: readonly string[], known: readonly string[]): Map<string, Value> {
  const changes = new Map<string, Value>()
  const mistakes: string[] = []
  for (const word of words) {
    const read = parseAssignment(word, known)
    if ('mistake' in read) mistakes.push(read.mistake)
    else if (changes.has(read.name)) mistakes.push(`${read.name}: given twice`)
    else changes.set(read.name, read.value)
  }
  if (mistakes.length > 0) throw new CommandError(`Nothing was changed.\n  ${mistakes.join('\n  ')}`)
  return changes
}

function parseAssignment(
  word: string,
  known: readonly string[],
): { name: string; value: Value } | { mistake: string } {
  const at = word.indexOf('=')
  if (at < 1) return { mistake: `'${word}': expected name=value, or name= to remove an override` }
  const name = word.slice(0, at).trim().toLowerCase()
  const text = word.slice(at + 1).trim()
  const setting = SETTING_NAMES.find(candidate => candidate === name)
  if (text === '' && (setting || known.includes(name))) return { name, value: null }
  if (!setting) return { mistake: `${name}: unknown setting.${didYouMean(name, SETTING_NAMES)}` }
  const value = parseSetting(setting, text)
  if (value === undefined) return { mistake: `${name}: expected ${describeSetting(setting)}, got '${text}'` }
  return { name, value }
}
