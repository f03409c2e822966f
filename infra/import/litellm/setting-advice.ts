import type { Report } from '../report.ts'
import { fieldAt, statedFields } from '../read-values.ts'
import type { Advice } from './parameter-advice.ts'

const LOGS =
  'each request is one structured log line with its chain, tokens and cost, has metrics in CloudWatch, and is a trace of OpenTelemetry where OTEL_EXPORTER_OTLP_ENDPOINT is set; prompts are never logged.'
const CACHE =
  'answers are not cached here; prompt caches of the providers are used, because a conversation stays at one endpoint.'
const VIRTUAL_KEYS =
  'what is in the database is not imported: make a key for each client (npm run keys -- client add NAME), and give it its limits under clients.'
const FAILURES = 'the kind of each failure decides whether it is retried, and where.'
const FAILS =
  'endpoint_suspect_threshold, endpoint_quarantine_threshold and the breaker_* settings decide when an endpoint is skipped.'
const COOLDOWN = 'an endpoint cools down for as long as its provider states, else in growing steps.'
const FILTERED =
  'with the setting content_filter: "next", an answer that a content filter stops is asked of the next endpoint of the chain.'
const GUARDS = 'there are no guardrails: put them before or behind the gateway.'
const MEMORY = 'the fleet shares its memory in its DynamoDB table.'
const PARALLEL =
  'limit clients ("*": { concurrency }) under clients, or the stack with deploy.reservedConcurrency.'
const ROUTES = 'only the routes of API.md are served.'
const SIGN_IN = 'callers have client keys, or sign with AWS credentials (deploy.auth: "iam").'
const ALARMS = 'set deploy.alarmEmail.'

const none = (advice: string): Advice => ['no_counterpart', advice]
const DONE: Advice = ['not_needed', '']
const READ = null

/** What becomes of the fields of each section; null = another file reads it. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, Advice | null>>>> = {
  router_settings: {
    routing_strategy: READ,
    num_retries: READ,
    timeout: READ,
    stream_timeout: READ,
    request_timeout: READ,
    fallbacks: READ,
    default_fallbacks: READ,
    context_window_fallbacks: READ,
    model_group_alias: READ,
    content_policy_fallbacks: none(FILTERED),
    routing_strategy_args: none('a strategy has no arguments.'),
    allowed_fails: none(FAILS),
    allowed_fails_policy: none(FAILS),
    cooldown_time: none(COOLDOWN),
    disable_cooldowns: none('settings.endpoint_health_disabled stops the skipping by own guess.'),
    retry_policy: none(FAILURES),
    model_group_retry_policy: none(FAILURES),
    retry_after: none(
      'retries wait as long as the provider states, else settings.retry_base_ms, doubled each time.',
    ),
    max_fallbacks: READ,
    enable_pre_call_checks: DONE,
    optional_pre_call_checks: DONE,
    enable_tag_filtering: none('make an alias for each tag, and name its clients under it.'),
  },
  litellm_settings: {
    fallbacks: READ,
    default_fallbacks: READ,
    context_window_fallbacks: READ,
    max_fallbacks: READ,
    num_retries: READ,
    request_timeout: READ,
    timeout: READ,
    stream_timeout: READ,
    content_policy_fallbacks: none(FILTERED),
    allowed_fails: none(FAILS),
    cooldown_time: none(COOLDOWN),
    drop_params: DONE,
    modify_params: DONE,
    set_verbose: ['not_needed', ''],
    json_logs: ['not_needed', ''],
    log_level: DONE,
    cache: none(CACHE),
    turn_off_message_logging: DONE,
    redact_user_api_key_info: DONE,
    telemetry: DONE,
    budget_duration: none('budgets are of a calendar month.'),
    forward_traceparent_to_llm_provider: DONE,
    ssl_verify: none('NODE_EXTRA_CA_CERTS names the certificates of your own authority.'),
  },
  general_settings: {
    master_key: READ,
    store_model_in_db: none(
      'models are in the configuration alone; export those of the database into model_list first.',
    ),
    background_health_checks: DONE,
    health_check_interval: DONE,
    pass_through_endpoints: none(ROUTES),
    key_management_system: none(
      'in AWS, keys are in one secret of Secrets Manager (npm run keys -- set PROVIDER --stack NAME).',
    ),
    infer_model_from_keys: none(
      'with the setting direct_models, clients may ask for any model as provider/model.',
    ),
    completion_model: none('default names the alias that answers unknown names.'),
  },
}

/** Sections that have no counterpart as a whole, or that other files read. */
const WHOLE: Readonly<Record<string, Advice | null>> = {
  model_list: READ,
  include: READ,
  credential_list: READ,
  environment_variables: READ,
  search_tools: none(ROUTES),
  files_settings: none(ROUTES),
  finetune_settings: none(ROUTES),
  assistant_settings: none(ROUTES),
  vector_store_registry: none(ROUTES),
  prompts: none('prompts are the clients\u2019.'),
}

/** What the names of further fields are about. */
const BY_NAME: readonly (readonly [RegExp, Advice])[] = [
  [/redis/, ['not_needed', MEMORY]],
  [/traceparent/, ['not_needed', 'the trace of a client is always passed on.']],
  [/spend_logs|error_logs|langfuse|prometheus|otel|datadog|callback|logging|_logs?$|spend_tag/, none(LOGS)],
  [/budget/, none('limits of money are of clients: dollarsPerMonth under clients.')],
  [
    /database|internal_user|end_user|key_generat|allow_user_auth|virtual_key|team|batch_write|user_header/,
    none(VIRTUAL_KEYS),
  ],
  [/cache/, none(CACHE)],
  [/guardrail/, none(GUARDS)],
  [/mcp|_routes?$/, none(ROUTES)],
  [/parallel_request/, none(PARALLEL)],
  [/alert|slack/, none(ALARMS)],
  [/jwt|oauth|sso|auth/, none(SIGN_IN)],
]

const UNKNOWN = none('unknown to the importer; nothing was written.')

const adviceFor = (name: string): Advice => BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN

const saysNothing = (value: unknown): boolean =>
  value === false ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

function tell(report: Report, what: string, value: unknown, advice: Advice | null | undefined): void {
  if (saysNothing(value) || advice === READ) return
  const [kind, text] = advice ?? adviceFor(what)
  report.add(kind, what, text)
}

/** Notes on every setting that is not written. */
export function noteSettings(document: unknown, report: Report): void {
  for (const [section, content] of statedFields(document)) {
    // By custom these hold nothing but anchors.
    if (/^[x.][-.]/i.test(section)) continue
    const fields = Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined
    if (fields === undefined) {
      tell(report, section, content, Object.hasOwn(WHOLE, section) ? WHOLE[section] : undefined)
      continue
    }
    for (const [name, value] of statedFields(fieldAt(document, section))) {
      tell(report, `${section}.${name}`, value, Object.hasOwn(fields, name) ? fields[name] : undefined)
    }
  }
}
