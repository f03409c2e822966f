import type { Json } from '../../lambdas/core/json.ts'
import { variableIn } from './read-values.ts'

/** Names of what proves who calls; the key of a cache does not. */
const PROOF =
  /(?:^|[-_])(?:api[-_]?key|(?<!cache[-_])key|token|secret|password|credentials?|auth|authorization|cookie|jwt)s?$/i
/** How the keys of well-known providers begin, and how they are sent. */
const KEY =
  /^(?:sk|pk|rk|gsk|xai|hf|ghp|gho|pplx|nvapi|r8|csk|fw|key)[-_]\w{8}|^AIza\w{8}|^AKIA\w{8}|^(?:Bearer|Basic) \S|^eyJ\w{8}/

/** Whether a field, or anything in it, may be a secret: those are never copied. What is in a variable may be one. */
export function looksSecret(name: string, value: Json): boolean {
  if (typeof value === 'string') return PROOF.test(name) || KEY.test(value) || variableIn(value) !== null
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([inner, content]) => content !== undefined && looksSecret(inner, content),
  )
}
