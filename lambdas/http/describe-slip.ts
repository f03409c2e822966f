import type { z } from 'zod/mini'

type Issue = z.core.$ZodIssue

const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'an array',
  object: 'an object',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
}

/** What a field must hold, or null where the check does not say; of a union, each form of the field itself. */
function expectedBy(issue: Issue): string | null {
  if (issue.code === 'invalid_type') return NAMES[issue.expected] ?? issue.expected
  if (issue.code === 'too_small') return `more than ${issue.minimum}`
  if (issue.code !== 'invalid_union') return null
  const forms = issue.errors.flatMap(([first]) => {
    const form = first && expectedBy(first)
    return form ? [first.path.length > 0 ? `${form} at ${first.path.join('.')}` : form] : []
  })
  return forms.length > 0 ? forms.join(' or ') : null
}

/** The first complaint about a request in words: which field, and what belongs there. The locales stay out. */
export function describeSlip(issue: Issue, param: string, isMissing: boolean): string {
  if (isMissing) return `'${param}' is missing`
  if (issue.code === 'too_small' && issue.origin !== 'number') return `'${param}' is empty`
  const expected = expectedBy(issue)
  return `'${param}' is not valid${expected ? `: expected ${expected}` : ''}`
}
