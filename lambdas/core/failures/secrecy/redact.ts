type Redaction = { readonly pattern: RegExp; readonly by: string }

// Ordered: whole tokens first, so that a later rule never sees the half of one.
const REDACTIONS: readonly Redaction[] = [
  { pattern: /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, by: '$1 [key]' },
  { pattern: /\beyJ[\w-]{8,}(?:\.[\w-]+){1,2}/g, by: '[key]' },
  {
    pattern:
      /\b(?:sk|csk|gsk|xai|nvapi|pplx|cpk|fw|tgp|rk|pk|hf|api|r8|ghp|gho|ghu|ghs|github_pat|glpat|bce|fpk|aik|lm)[-_](?=[\w-]*[\d*.])[\w*-]{12,}(?:\.{3}\w*)?/g,
    by: '[key]',
  },
  { pattern: /\b(?:sk|gsk|csk|xai|hf|nvapi)[-_][\w-]{0,12}[*.]{2,}[\w*-]*/g, by: '[key]' },
  { pattern: /\bAIza[\w-]{16,}/g, by: '[key]' },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, by: '[key]' },
  { pattern: /(?<!\w)\w{0,8}\*{3,}\w{0,8}/g, by: '[key]' },
  { pattern: /([?&](?:key|api_key|apikey|token|access_token)=)[^&\s"']+/gi, by: '$1[key]' },
  { pattern: /\barn:aws[\w-]*:[^\s"',]+/g, by: '[arn]' },
  { pattern: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g, by: '[email]' },
  {
    pattern:
      /\b(?:org|proj|project|user|wrk|acct|team|cus|ak|usr|ws|sess)[-_](?=[a-z]*[\dA-Z])[A-Za-z0-9]{6,}/g,
    by: '[id]',
  },
  {
    pattern:
      /\b(organization|org|team|account|project|workspace|tenant)((?:'s)?(?: id)?[ :(`'"]{1,3})(?=[\w-]*\d)[\w-]{8,}/gi,
    by: '$1$2[id]',
  },
  { pattern: /\b(projects?[=/])\d{6,}/gi, by: '$1[id]' },
  { pattern: /\b(for account ['"])[^'"]{1,80}/gi, by: '$1[id]' },
  { pattern: /\b(you \()[^)\s]{1,80}(\))/gi, by: '$1[id]$2' },
  { pattern: /\b(on behalf of user )\S{1,80}/gi, by: '$1[id]' },
  { pattern: /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]\d|\w)/g, by: '[ip]' },
  // Wallets, hashes and other long tokens: no model name runs to 40 characters without a separator.
  { pattern: /\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{40,}\b/g, by: '[token]' },
]

/**
 * Removes from an upstream's words what must not reach a log, a header or a client: keys (whole or as a tail),
 * tokens, ids of accounts and people, ARNs, e-mail and network addresses. Model names and durations stay.
 */
export function redactSecrets(text: string): string {
  return REDACTIONS.reduce((clean, { pattern, by }) => clean.replace(pattern, by), text)
}
