import * as z from 'zod/mini'
import type { JsonObject } from '../../core/json.ts'
import { recordOf } from '../../core/record-of.ts'
import { SETTINGS } from '../../core/settings/settings.ts'
import { SETTING_NAMES, describeSetting } from '../../core/settings/setting-values.ts'
import type { SettingName } from '../../core/settings/settings.ts'
import { gatewayConfigSchema } from './config-schema.ts'

function settingSchema(name: SettingName): JsonObject {
  const row = SETTINGS[name]
  const what: JsonObject =
    'choices' in row
      ? { enum: [...row.choices] }
      : 'min' in row
        ? { type: 'number', minimum: row.min, maximum: row.max }
        : { type: 'boolean' }
  return { ...what, default: row.default, description: describeSetting(name) }
}

/** The configuration as JSON Schema, for editors; what spans several places is checked by the gateway alone. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(gatewayConfigSchema, { unrepresentable: 'any', io: 'input' })
  const { properties, ...rest } = JSON.parse(JSON.stringify(schema))
  const settings = {
    type: 'object',
    additionalProperties: false,
    properties: recordOf(SETTING_NAMES, settingSchema),
  }
  return { ...rest, title: 'Backstop gateway', properties: { ...properties, settings } }
}
