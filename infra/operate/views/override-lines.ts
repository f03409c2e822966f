import {
  SETTING_NAMES,
  acceptsSetting,
  describeSetting,
} from '../../../lambdas/core/settings/setting-values.ts'
import type { Settings } from '../../../lambdas/core/settings/settings.ts'
import type { SettingsItem } from '../../../lambdas/store/state-item.ts'
import { type Paint, printable } from '../../terminal/paint.ts'

/** The operator's overrides, each beside what it overrides; those that the gateway ignores say why. */
export function overrideLines(
  overrides: SettingsItem['overrides'],
  settings: Settings,
  paint: Paint,
): string[] {
  const lines = Object.entries(overrides).map(([name, value]) => {
    const stated = `  ${printable(name)} = ${printable(String(value))}`
    const setting = SETTING_NAMES.find(known => known === name)
    if (!setting) return `${stated}  ${paint('yellow', 'ignored: unknown setting')}`
    if (!acceptsSetting(setting, value))
      return `${stated}  ${paint('yellow', `ignored: expected ${describeSetting(setting)}`)}`
    return `${stated}  ${paint('dim', `instead of ${settings[setting]}`)}`
  })
  return lines.length === 0 ? ['No overrides are in force.'] : [paint('bold', 'Overrides in force'), ...lines]
}
