import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import {
  SETTING_NAMES,
  acceptsSetting,
  describeSetting,
  parseSetting,
} from '../../../lambdas/core/settings/setting-values.ts'
import { DEFAULT_SETTINGS, SETTINGS, type SettingName } from '../../../lambdas/core/settings/settings.ts'
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
  if (at < 1)
    return { mistake: `'${word}': expected name=value, or name= to remove an override${exampleOf(word)}` }
  const name = word.slice(0, at).trim().toLowerCase()
  const text = word.slice(at + 1).trim()
  const setting = SETTING_NAMES.find(candidate => candidate === name)
  if (text === '' && (setting || known.includes(name))) return { name, value: null }
  if (!setting) return { mistake: `${name}: unknown setting.${didYouMean(name, SETTING_NAMES)}` }
  const value = parseSetting(setting, text)
  if (value === undefined)
    return {
      mistake: `${name}: expected ${describeSetting(setting)}, got '${text}'.${remedyFor(setting, text)}`,
    }
  return { name, value }
}

const exampleOf = (word: string): string => {
  const setting = SETTING_NAMES.find(name => name === word.toLowerCase())
  return setting ? `, such as ${setting}=${DEFAULT_SETTINGS[setting]}` : ''
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** What somebody most likely meant with a value that a setting does not take. */
function remedyFor(setting: SettingName, text: string): string {
  const row = SETTINGS[setting]
  if ('choices' in row) return didYouMean(text, row.choices)
  const [, digits, unit] = /^([\d.,_]+)\s*([a-z%]*)$/i.exec(text) ?? []
  const number = Number(digits?.replaceAll(/[,_]/g, ''))
  const meant =
    unit === '%'
      ? number / 100
      : number * (setting.endsWith('_ms') ? (UNITS.get(unit?.toLowerCase() || 'ms') ?? Number.NaN) : 1)
  if (!('min' in row) || !acceptsSetting(setting, meant)) return ''
  return ` Write ${setting}=${meant}${setting.endsWith('_ms') ? ', which is in milliseconds' : ''}.`
}
