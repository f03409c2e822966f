import { fieldAt, statedFields, textOf, variableIn, type Variables } from '../read-values.ts'

/** What `environment_variables` puts into the environment; values that lead to another variable are not followed. */
export const ownVariables = (document: unknown): Variables =>
  Object.fromEntries(
    statedFields(fieldAt(document, 'environment_variables')).flatMap(([name, value]) => {
      const text = textOf(value)
      return text === undefined || variableIn(text) !== null ? [] : [[name, text] as const]
    }),
  )
