import { fieldAt, statedFields } from '../read-values.ts'
import type { Report } from '../report.ts'

const FAILURES = 'the kind of each failure decides whether another endpoint is called, not its status alone.'
const GUARDS = 'there are no guardrails: put them before or behind the gateway.'
const CACHE =
  'answers are not cached here; prompt caches of the providers are used, because a conversation stays at one endpoint.'
const HEADERS = 'headers of the client are not passed on. Write fixed ones under headers.'
const AWS_CREDENTIALS = 'AWS credentials are those of the environment, in AWS those of the function.'

/** What becomes of fields that are not written; null = they are. */
const FIELDS: Readonly<Record<string, string | null>> = {
  strategy: null,
  targets: null,
  name: null,
  provider: null,
  virtual_key: null,
  api_key: null,
  weight: null,
  override_params: null,
  custom_host: null,
  request_timeout: null,
  retry: null,
  azure_resource_name: null,
  resource_name: null,
  azure_deployment_id: null,
  deployment_id: null,
  azure_api_version: null,
  api_version: null,
  aws_region: null,
  id: null,
  index: null,
  on_status_codes: FAILURES,
  cache: CACHE,
  forward_headers: HEADERS,
  aws_access_key_id: AWS_CREDENTIALS,
  aws_secret_access_key: AWS_CREDENTIALS,
  aws_session_token: AWS_CREDENTIALS,
  strict_open_ai_compliance: 'answers always have the shape of OpenAI\u2019s, and fields beyond it are kept.',
  openai_organization: 'write it under headers: { "OpenAI-Organization": … }.',
  openai_project: 'write it under headers: { "OpenAI-Project": … }.',
  azure_auth_mode: 'signing in with Microsoft Entra is not supported: use an API key of the resource.',
  azure_model_name: 'the deployment is the model.',
}
const GUARDRAIL = /guardrail|_hooks$|^(?:input|output|before|after)_/
const UNKNOWN = 'unknown to the importer; nothing was written.'

/** Notes on what a target says and Backstop does not do. */
export function noteTarget(target: unknown, report: Report): void {
  for (const [name] of statedFields(target)) {
    const advice = Object.hasOwn(FIELDS, name) ? FIELDS[name] : GUARDRAIL.test(name) ? GUARDS : UNKNOWN
    if (advice) report.add('no_counterpart', name, advice)
  }
  for (const [name] of statedFields(fieldAt(target, 'strategy'))) {
    if (!['mode', 'conditions', 'default'].includes(name)) {
      report.add('no_counterpart', `strategy.${name}`, name === 'on_status_codes' ? FAILURES : UNKNOWN)
    }
  }
  for (const [name] of statedFields(fieldAt(target, 'retry'))) {
    if (name === 'on_status_codes') report.add('no_counterpart', 'retry.on_status_codes', FAILURES)
    else if (name === 'use_retry_after_header') report.add('not_needed', 'retry.use_retry_after_header', '')
    else if (name !== 'attempts') report.add('no_counterpart', `retry.${name}`, UNKNOWN)
  }
}
