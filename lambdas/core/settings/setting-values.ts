import { SETTINGS } from './settings.ts'
import type { SettingName } from './settings.ts'

const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['on', true],
  ['yes', true],
  ['0', false],
  ['false', false],
  ['off', false],
  ['no', false],
])

const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName)

/** What a setting takes, in words for a message. */
export function describeSetting(name: SettingName): string {
  const row = SETTINGS[name]
  if ('choices' in row) return `one of ${row.choices.map(choice => `"${choice}"`).join(', ')}`
  return 'min' in row ? `a number from ${row.min} to ${row.max}` : 'true or false'
}

/** Whether a value of unknown origin (configuration, operator override) is one that the setting takes. */
export function acceptsSetting(name: SettingName, value: unknown): boolean {
  const row = SETTINGS[name]
  if ('choices' in row) return row.choices.some(choice => choice === value)
  if (!('min' in row)) return typeof value === 'boolean'
  return typeof value === 'number' && value >= row.min && value <= row.max
}

/** A setting written as text (environment, command line); undefined where it is not a value that it takes. */
export function parseSetting(name: SettingName, text: string): string | number | boolean | undefined {
  const row = SETTINGS[name]
  const word = text.trim()
  const value = 'choices' in row ? word : 'min' in row ? toNumber(word) : SWITCH_WORDS.get(word.toLowerCase())
  return acceptsSetting(name, value) ? value : undefined
}

/** `Number` takes an empty text for 0. */
const toNumber = (word: string): number => (word === '' ? Number.NaN : Number(word))
