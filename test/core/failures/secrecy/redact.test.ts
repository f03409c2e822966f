import { expect, test } from 'vitest'
import { redactSecrets } from '../../../../lambdas/core/failures/secrecy/redact.ts'

test.each([
  [
    'an OpenAI key',
    'Incorrect API key provided: sk-proj-abcdefghij0123456789',
    'Incorrect API key provided: [key]',
  ],
  ['the tail of a key', 'Incorrect API key provided: sk-...abcd.', 'Incorrect API key provided: [key].'],
  ['a masked key', 'Your api key: ****here is invalid', 'Your api key: [key] is invalid'],
  ['a masked xAI key', 'Incorrect API key provided: xa***.', 'Incorrect API key provided: [key].'],
  ['an OpenRouter key', 'key sk-or-v1-0123456789abcdef0123 refused', 'key [key] refused'],
  ['a Groq key', 'gsk_abcdefghijklmnop1234', '[key]'],
  ['a Google key', 'AIzaSyABCDEFGHIJKLMNOP', '[key]'],
  ['a Hugging Face key', 'hf_abcdefghijkl1234', '[key]'],
  ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE', '[key]'],
  ['a bearer token', 'Authorization: Bearer abc.def-123456', 'Authorization: Bearer [key]'],
  ['a key in an address', 'https://host/v1?key=abc123&x=1', 'https://host/v1?key=[key]&x=1'],
  ['an organisation', 'in organization org-AbCdEf123 on tokens', 'in organization [id] on tokens'],
  ['a Groq organisation', 'in organization `org_01hxyz` service', 'in organization `[id]` service'],
  ['a Moonshot account', 'Your account org-abc123<ak-def456> request', 'Your account [id]<[id]> request'],
  ['a team', 'your team 11111111-2222-3333-4444-555555555555 does', 'your team [id] does'],
  [
    'a workspace',
    'https://opencode.ai/workspace/wrk_01ABC23/billing',
    'https://opencode.ai/workspace/[id]/billing',
  ],
  ['a user name', 'you (someone) have reached', 'you ([id]) have reached'],
  ['an account in quotes', "Not found for account 'AbC-dEf'", "Not found for account '[id]'"],
  ['an ARN', 'User: arn:aws:sts::111122223333:assumed-role/x/i-1 is not', 'User: [arn] is not'],
  ['an e-mail address', 'contact support@example.com now', 'contact [email] now'],
  ['an IP address', 'Queue full for IP: 203.0.113.7: 1 requests', 'Queue full for IP: [ip]: 1 requests'],
  ['a wallet', `send tao to 5${'F3sa2'.repeat(9)} now`, 'send tao to [token] now'],
])('%s is removed', (_title, text, clean) => {
  expect(redactSecrets(text)).toBe(clean)
})

test.each([
  'The model `llama-3.1-8b-instant` has been decommissioned',
  'models/gemini-2.5-flash-preview-image is not found',
  'nvidia/llama-3.1-nemotron-ultra-253b-v1 and openai/gpt-oss-120b',
  'anthropic.claude-3-haiku-20240307-v1:0',
  'deepseek-ai/DeepSeek-R1-Distill-Llama-70B',
  'meta-llama/Llama-3.3-70B-Instruct-Turbo-Free',
  'Please try again in 9m38.016s. Limit 100000, Used 97050, Requested 3619',
  'on tokens per minute (TPM): Limit 30000',
  'See https://console.groq.com/docs/rate-limits for more',
  'organization has been restricted',
  'model version 1.2.3.4.5',
])('"%s" stays as it is', text => {
  expect(redactSecrets(text)).toBe(text)
})
