import type { NoteKind } from '../report.ts'

export type Advice = readonly [kind: NoteKind, advice: string]

/** Fields of a request that a deployment may preset: they become its `body`, which the client's own fields override. */
export const REQUEST_FIELDS: ReadonlySet<string> = new Set(
  (
    'temperature top_p top_k min_p n stop seed user max_tokens max_completion_tokens presence_penalty ' +
    'frequency_penalty repetition_penalty logit_bias logprobs top_logprobs response_format reasoning reasoning_effort ' +
    'thinking verbosity service_tier tools tool_choice parallel_tool_calls modalities prediction web_search_options ' +
    'metadata store safety_identifier prompt_cache_key dimensions encoding_format input_type chat_template_kwargs'
  ).split(' '),
)

const AWS_CREDENTIALS =
  'AWS credentials are those of the environment (AWS_ACCESS_KEY_ID and so on), in AWS those of the function.'
const AZURE_SIGN_IN = 'signing in with Microsoft Entra is not supported: use an API key of the resource.'
const RETRIES = 'retries are limited for the whole request: settings.retry_max_attempts.'
const BUDGET = 'limits of money are of clients: dollarsPerMonth under clients.'

/** What becomes of parameters that are not written. Those that are not here are told as unknown. */
export const PARAMETER_ADVICE: Readonly<Record<string, Advice>> = {
  max_retries: ['no_counterpart', RETRIES],
  num_retries: ['no_counterpart', RETRIES],
  cooldown_time: [
    'no_counterpart',
    'an endpoint cools down for as long as its provider states, else in growing steps.',
  ],
  drop_params: ['not_needed', ''],
  additional_drop_params: [
    'no_counterpart',
    'a field that an endpoint refuses is left out by itself, once it has refused it.',
  ],
  allowed_openai_params: ['not_needed', ''],
  merge_reasoning_content_in_choices: ['no_counterpart', 'reasoning is passed on as the provider sends it.'],
  use_in_pass_through: ['no_counterpart', 'there are no pass-through routes.'],
  aws_access_key_id: ['no_counterpart', AWS_CREDENTIALS],
  aws_secret_access_key: ['no_counterpart', AWS_CREDENTIALS],
  aws_session_token: ['no_counterpart', AWS_CREDENTIALS],
  aws_profile_name: ['no_counterpart', AWS_CREDENTIALS],
  aws_role_name: ['no_counterpart', AWS_CREDENTIALS],
  aws_session_name: ['no_counterpart', AWS_CREDENTIALS],
  aws_web_identity_token: ['no_counterpart', AWS_CREDENTIALS],
  azure_ad_token: ['no_counterpart', AZURE_SIGN_IN],
  tenant_id: ['no_counterpart', AZURE_SIGN_IN],
  client_id: ['no_counterpart', AZURE_SIGN_IN],
  client_secret: ['no_counterpart', AZURE_SIGN_IN],
  num_ctx: [
    'no_counterpart',
    "Ollama's OpenAI-compatible API takes none: set it in a Modelfile, or OLLAMA_CONTEXT_LENGTH where Ollama runs.",
  ],
  max_budget: ['no_counterpart', BUDGET],
  budget_duration: ['no_counterpart', BUDGET],
  tags: ['no_counterpart', 'make an alias for each tag, and name its clients under it.'],
  mock_response: ['no_counterpart', 'without keys, npm start simulates the providers.'],
}

/** What `model_info` says about a model that is no matter of the gateway's. */
export const MODEL_INFO_ADVICE =
  'what describes a model to people is not kept. What the gateway acts on (mode, max_input_tokens, prices, ' +
  'supports_function_calling, supports_vision) is.'

export const UNKNOWN_PARAMETER =
  'unknown to the importer; nothing was written. If the provider takes it in a request, write it under body of the endpoint.'
