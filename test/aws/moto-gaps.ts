import type { JsonObject } from '../../lambdas/core/json.ts'
import { isJsonObject } from '../../lambdas/core/json.ts'

/**
 * Resources that moto's CloudFormation leaves out without a word, although others refer to them. The test makes them
 * itself, and puts what CloudFormation would know of them into the template.
 */
export const GAPS = {
  'AWS::SecretsManager::Secret':
    'its ARN stands in variables, policies and an output; Secrets Manager itself is there',
  'AWS::Lambda::Url':
    'its URL stands in outputs; nothing would listen there either, because functions run beside moto',
} as const

export type Gap = keyof typeof GAPS

/** No container runs functions, and nothing uploads assets: the code of each stands in the template, and runs elsewhere. */
const CODE = { ZipFile: 'exports.handler = () => undefined' }

type Template = { Resources: Record<string, { Type: string; Properties: JsonObject }> }

/** The resources of a kind: logical ids, and what the template says of each. */
export const resourcesOf = ({ Resources }: Template, type: string): [string, JsonObject][] =>
  Object.entries(Resources).flatMap(([id, { Type, Properties }]) => (Type === type ? [[id, Properties]] : []))

/** The template without the gaps: what refers to one of them by its logical id gets this text. */
export function withoutGaps(template: Template, values: ReadonlyMap<string, string>): Template {
  const known = Object.entries(template.Resources)
    .filter(([id]) => !values.has(id))
    .map(([id, resource]) => {
      if (resource.Type !== 'AWS::Lambda::Function') return [id, resource]
      return [id, { ...resource, Properties: { ...resource.Properties, Code: CODE } }]
    })
  return replaced({ ...template, Resources: Object.fromEntries(known) }, values) as Template
}

function replaced(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map(item => replaced(item, values))
  if (!isJsonObject(value)) return value
  const { Ref: reference, 'Fn::GetAtt': attribute } = value
  const id = reference ?? (Array.isArray(attribute) ? attribute[0] : undefined)
  const known = typeof id === 'string' ? values.get(id) : undefined
  if (known !== undefined) return known
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item, values)]))
}
