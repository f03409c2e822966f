import { describe, expect, test } from 'vitest'
import { deployment, importedLitellm as imported, listOf, one } from './imported-litellm.ts'

describe('a deployment', () => {
  test.each<[string, string, unknown]>([
    ['a prefix that the catalogue has', 'model: groq/llama-3.1-8b-instant', 'groq/llama-3.1-8b-instant'],
    ['another spelling of one', 'model: together_ai/meta/llama', 'together/meta/llama'],
    ['no prefix, and a well-known name', 'model: gpt-4o', 'openai/gpt-4o'],
    ['a provider beside the model', 'model: large, custom_llm_provider: mistral', 'mistral/large'],
    ['a way of calling in the name', 'model: openai/responses/gpt-5', 'openai/gpt-5'],
    [
      'a region in the name',
      'model: bedrock/us-west-2/converse/openai.gpt-oss-20b-1:0',
      'bedrock/openai.gpt-oss-20b-1:0',
    ],
    ['a host behind a router', 'model: huggingface/together/org/model', 'huggingface/org/model:together'],
    [
      'the place of a host that the catalogue has',
      'model: openai/m, api_base: "https://api.groq.com/openai/v1"',
      'groq/m',
    ],
    ['a host without a row', 'model: perplexity/sonar', 'perplexity/sonar'],
    [
      'the prefix of a provider that only LiteLLM knows',
      'model: databricks/a/b, api_base: "https://dbc-1.cloud.databricks.com/serving-endpoints"',
      'databricks/a/b',
    ],
    [
      'the whole path of its deployment',
      'model: azure/gpt-4o, api_base: "https://n.openai.azure.com/openai/deployments/gpt-4o-us/chat/completions?api-version=2024-10-21"',
      'azure/gpt-4o-us',
    ],
    ['a numbered key', 'model: groq/l, api_key: os.environ/KEY_0', 'groq-0/l'],
  ])('with %s is an endpoint', (_, parameters, reference) => {
    expect(imported(one(parameters)).models).toEqual({ m: { tiers: [[reference]] } })
  })

  test('keeps its limits, prices, abilities, headers and fields', () => {
    const { models } = imported(
      one(
        'model: openai/gpt-4o, rpm: 60, tpm: "90000", max_parallel_requests: 4, timeout: 20, temperature: 0.2, ' +
          'organization: org-1, extra_headers: { X-Team: search }, extra_body: { provider: { order: [a] } }',
        'max_input_tokens: 128000, supports_vision: true, supports_function_calling: false, ' +
          'input_cost_per_token: 2.5e-06, output_cost_per_token: 0.00001',
      ),
    )
    expect(models['m']?.tiers).toEqual([
      [
        {
          endpoint: 'openai/gpt-4o',
          contextWindow: 128_000,
          tools: false,
          vision: true,
          price: { input: 2.5, output: 10 },
          quotas: { requestsPerMinute: 60, tokensPerMinute: 90_000, concurrency: 4 },
          headers: { 'X-Team': 'search', 'OpenAI-Organization': 'org-1' },
          body: { temperature: 0.2, provider: { order: ['a'] } },
          firstOutputTimeoutMs: 20_000,
        },
      ],
    ])
  })

  test.each<[string, string, unknown]>([
    [
      "Azure's own host",
      'model: azure/d, api_base: "https://north.openai.azure.com/", api_version: 2024-10-21, api_key: os.environ/AZURE_API_KEY',
      { azure: { baseUrl: 'https://north.openai.azure.com/openai/v1' } },
    ],
    [
      'a gateway before Azure',
      'model: azure/d, api_base: "https://apim.corp.example/llm", api_version: 2024-10-21, api_key: os.environ/AZURE_API_KEY',
      { azure: { baseUrl: 'https://apim.corp.example/llm/openai/deployments/d?api-version=2024-10-21' } },
    ],
    [
      'a gateway before Azure, without a version',
      'model: azure/d, api_base: "https://apim.corp.example/llm", api_key: os.environ/AZURE_API_KEY',
      {
        azure: {
          baseUrl: 'https://apim.corp.example/llm/openai/deployments/d?api-version=2025-02-01-preview',
        },
      },
    ],
    [
      'the whole path of a gateway before Azure',
      'model: azure/d, api_key: os.environ/AZURE_API_KEY, api_base: "https://apim.corp.example/openai/deployments/e/chat/completions?api-version=2024-10-21"',
      { azure: { baseUrl: 'https://apim.corp.example/openai/deployments/e?api-version=2024-10-21' } },
    ],
    [
      'an endpoint of Hugging Face',
      'model: huggingface/a/b, api_base: "https://abc.endpoints.huggingface.cloud"',
      { huggingface: { baseUrl: 'https://abc.endpoints.huggingface.cloud/v1' } },
    ],
    [
      'Ollama elsewhere',
      'model: ollama_chat/l, api_base: "http://gpu:11434"',
      { ollama: { baseUrl: 'http://gpu:11434/v1' } },
    ],
    [
      'Ollama behind the API of OpenAI',
      'model: openai/l, api_base: "http://gpu:11434/v1", api_key: none',
      { ollama: { baseUrl: 'http://gpu:11434/v1' } },
    ],
    [
      'a host on the own network',
      'model: openai/l, api_base: "http://tgi:8080/v1"',
      { tgi: { baseUrl: 'http://tgi:8080/v1', key: false } },
    ],
    [
      'a host with a placeholder for a key',
      'model: openai/l, api_base: "https://llm.corp.example/v1", api_key: dummy-key',
      { corp: { baseUrl: 'https://llm.corp.example/v1', key: false } },
    ],
    [
      'an address with the path of an API',
      'model: openai/l, api_base: "https://llm.corp.example/v1/chat/completions", api_key: os.environ/CORP_KEY',
      { corp: { baseUrl: 'https://llm.corp.example/v1' } },
    ],
    [
      'a provider of LiteLLM alone',
      'model: wandb/deepseek-ai/DeepSeek-V3, api_base: "https://api.inference.wandb.ai/v1"',
      { wandb: { baseUrl: 'https://api.inference.wandb.ai/v1' } },
    ],
    [
      'a host with a numbered key',
      'model: openai/m, api_base: "https://llm.corp.example/v1", api_key: os.environ/API_KEY_1',
      { 'host-1': { baseUrl: 'https://llm.corp.example/v1' } },
    ],
    [
      'a region of Bedrock',
      'model: bedrock/openai.gpt-oss-20b-1:0, aws_region_name: eu-west-1',
      { bedrock: { baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1' } },
    ],
  ])('at %s is at a provider of its own', (_, parameters, providers) => {
    expect(imported(one(parameters)).providers).toEqual(providers)
  })

  test.each<[string, string, RegExp]>([
    ['of Google Cloud', 'model: vertex_ai/gemini-2.5-pro', /Google service account.*gemini\//s],
    ['for speech', 'model: whisper-1', /audio transcription are not served/],
    [
      'of a provider that nobody knows',
      'model: frobnicate/m',
      /which provider serves "frobnicate\/m" is not said/,
    ],
    [
      'whose place is in a variable that is not set',
      'model: azure/d, api_base: os.environ/NOWHERE',
      /variable NOWHERE, which is not set/,
    ],
    ['without a place', 'model: azure/d', /api_base is missing/],
    [
      'whose place holds a password',
      'model: openai/d, api_base: "https://u:hunter2@h.example/v1"',
      /without a name or password/,
    ],
    [
      'whose place holds a key',
      'model: openai/d, api_base: "https://h.example/v1?code=hunter2"',
      /its query may hold a key/,
    ],
    ['with spaces', 'model: "openai/two words"', /has spaces/],
    [
      'of one of several places',
      'model: azure/d, api_base: "ftp://u:hunter2@north.example/x"',
      /m at north\.example: /,
    ],
    [
      'for completions',
      'model: text-completion-openai/gpt-3.5-turbo-instruct',
      /\/v1\/completions, which is not served/,
    ],
    ['without a model', 'api_key: x', /litellm_params.model is missing/],
  ])('%s is left out, and the list says what to do', (_, parameters, advice) => {
    const { models, lines } = imported(
      listOf(deployment('kept', 'model: gpt-4o'), deployment('m', parameters)),
    )
    expect(Object.keys(models)).toEqual(['kept'])
    expect(lines).toMatch(/^Left out:/m)
    expect(lines).toMatch(advice)
    expect(lines).not.toContain('hunter2')
  })
})

test.each<[string, string, RegExp]>([
  ['a limit that is no number', 'rpm: sixty', /litellm_params.rpm \(m\): it is no whole number/],
  ['a negative weight', 'weight: -1', /litellm_params.weight \(m\): it is no number from 0/],
  [
    'a timeout of nothing beside another',
    'timeout: 5, stream_timeout: 0',
    /stream_timeout \(m\): it is no number of seconds/,
  ],
  [
    'a key that Helm fills in',
    'api_key: "{{ .Values.key }}"',
    /api_key \(m\): a template that another program fills in/,
  ],
])('%s is told', (_, parameters, message) => {
  const { lines, models, keys } = imported(one(`model: groq/l, ${parameters}`))
  expect(lines).toMatch(message)
  expect(keys).toMatchObject([{ variable: 'GROQ_API_KEY' }])
  expect(JSON.stringify(models)).toContain(
    parameters.startsWith('timeout') ? '"firstOutputTimeoutMs":5000' : '[["groq/l"]]',
  )
})

test('an entry that is none is told, and a name may be y or n', () => {
  const { models, lines } = imported(
    `${listOf(deployment('y', 'model: groq/l'), deployment('n', 'model: groq/m'))}  -\n  - text\n`,
  )
  expect(Object.keys(models)).toEqual(['y', 'n'])
  expect(lines).toMatch(/an entry of model_list: it is no object/)
})

test('settings that have a counterpart are written, the others are told', () => {
  const { settings, lines, keys } = imported(
    `${one('model: gpt-4o')}router_settings: { num_retries: 5, timeout: 90, cooldown_time: 30, nobody_knows: 1 }
litellm_settings: { drop_params: true, cache: true, set_verbose: false, success_callback: [langfuse] }
general_settings: { master_key: os.environ/LITELLM_MASTER_KEY, database_url: "postgresql://u:hunter2@db/x" }
mcp_servers: { a: { url: x } }
`,
  )
  expect(settings).toEqual({ retry_max_attempts: 6 })
  expect(keys.at(-1)).toMatchObject({
    variable: 'BACKSTOP_CLIENT_KEYS',
    from: { name: 'LITELLM_MASTER_KEY' },
  })
  for (const name of [
    'cooldown_time',
    'nobody_knows',
    'cache',
    'success_callback',
    'database_url',
    'mcp_servers',
  ])
    expect(lines).toContain(name)
  expect(lines).toMatch(/Not needed.*drop_params/)
  expect(lines).not.toMatch(/set_verbose|hunter2/)
})

test.each([
  ['no model', 'model_list: []', /no model that can be called/],
  ['nothing but what cannot be called', one('model: vertex_ai/x'), /Left out:\n {2}m: calls are signed/],
  ['no model_list', 'general_settings: { master_key: x }', /has no model_list/],
])('a file with %s is refused', (_, yaml, message) => {
  expect(() => imported(yaml)).toThrow(message)
})
