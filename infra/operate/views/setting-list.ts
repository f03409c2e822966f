import { formatSpan } from '../../../lambdas/core/format-span.ts'
import {
  acceptsSetting,
  describeSetting,
  SETTING_NAMES,
} from '../../../lambdas/core/settings/setting-values.ts'
import { DEFAULT_SETTINGS, type SettingName, type Settings } from '../../../lambdas/core/settings/settings.ts'
import type { SettingsItem } from '../../../lambdas/store/state-item.ts'
import { type Paint } from '../../terminal/paint.ts'
import { SETTING_CLAUSES } from './setting-clauses.ts'

type Value = Settings[SettingName]

/** A setting as it holds now, and where its value comes from. */
export type SettingRow = {
  name: SettingName
  value: Value
  source: 'default' | 'configuration' | 'override'
  /** Without the override: what the configuration or the environment says, else the default. */
  configured: Value
  default: Value
  unit: 'ms' | null
  accepts: string
  does: string
}

const LONGEST_UNCLEAR_MS = 999

/** Every setting; an override that the gateway ignores does not count. */
export function settingRows(overrides: SettingsItem['overrides'], settings: Settings): SettingRow[] {
  return SETTING_NAMES.map(name => {
    const configured = settings[name]
    const override = overrides[name]
    const isOverridden = override !== undefined && acceptsSetting(name, override)
    return {
      name,
      value: isOverridden ? (override as Value) : configured,
      source: isOverridden ? 'override' : configured === DEFAULT_SETTINGS[name] ? 'default' : 'configuration',
      configured,
      default: DEFAULT_SETTINGS[name],
      unit: name.endsWith('_ms') ? 'ms' : null,
      accepts: describeSetting(name),
      does: SETTING_CLAUSES[name],
    }
  })
}

/** Every setting in two lines: name, value and source; below it what it does. */
export const settingLines = (rows: readonly SettingRow[], paint: Paint): string[] =>
  rows.flatMap(row => [
    `${paint('bold', row.name)} = ${shown(row)}  ${sourceOf(row, paint)}`,
    `    ${paint('dim', row.does)}`,
  ])

function shown({ value, unit }: SettingRow): string {
  const isLong = unit === 'ms' && typeof value === 'number' && value > LONGEST_UNCLEAR_MS
  return `${value}${unit === null ? '' : ' ms'}${isLong ? ` (${formatSpan(value)})` : ''}`
}

function sourceOf({ source, configured, default: usual }: SettingRow, paint: Paint): string {
  if (source === 'default') return paint('dim', 'default')
  if (source === 'configuration') return paint('cyan', `configured, in place of ${usual}`)
  return paint('yellow', `override of ${configured}`)
}
