import { isJsonObject, type JsonObject } from '../../../core/json.ts'

const LOW_BUDGET = 4_096
const MEDIUM_BUDGET = 16_384

/** The chat API's hosts know no higher one in common. */
const HIGHEST = 'high'
const KNOWN: ReadonlySet<unknown> = new Set(['minimal', 'low', 'medium', 'high'])

/** How much the model should think: said as an effort, or as a number of tokens. */
export function translateEffort({ thinking, output_config: config }: JsonObject): JsonObject {
  const { type, budget_tokens: budget }: JsonObject = isJsonObject(thinking) ? thinking : {}
  if (type === 'disabled') return { reasoning_effort: 'none' }
  const effort = isJsonObject(config) ? config.effort : undefined
  if (typeof effort === 'string') return { reasoning_effort: KNOWN.has(effort) ? effort : HIGHEST }
  if (type !== 'enabled' || typeof budget !== 'number') return {}
  return { reasoning_effort: budget <= LOW_BUDGET ? 'low' : budget <= MEDIUM_BUDGET ? 'medium' : HIGHEST }
}

/** The schema that the answer must follow. */
export function translateFormat({ output_config: config, output_format: older }: JsonObject): JsonObject {
  const format = (isJsonObject(config) ? config.format : undefined) ?? older
  if (!isJsonObject(format) || format.type !== 'json_schema') return {}
  const { schema, name = 'answer' } = format
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } }
}
