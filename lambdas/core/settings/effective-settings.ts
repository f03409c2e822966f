import { acceptsSetting, SETTING_NAMES } from './setting-values.ts'
import type { Settings } from './settings.ts'

/** What an operator set at run time, by name; of unknown quality, because it comes from the table. */
export type Overrides = Readonly<Record<string, unknown>>

/** Settings with the operator's overrides laid over them; a bad override is ignored and named. */
export function effectiveSettings(
  settings: Settings,
  overrides: Overrides,
): { settings: Settings; ignored: readonly string[] } {
  const good: Record<string, unknown> = {}
  const ignored: string[] = []
  for (const [name, value] of Object.entries(overrides)) {
    const setting = SETTING_NAMES.find(known => known === name)
    if (setting && acceptsSetting(setting, value)) good[name] = value
    else ignored.push(name)
  }
  return { settings: { ...settings, ...good }, ignored }
}
