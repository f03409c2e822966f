import { describe, expect, test } from 'vitest'
import { importSource } from '../../infra/import/import-source.ts'
import { noteLines } from '../../infra/import/note-lines.ts'
import { parseYamlConfig } from '../../infra/import/parse-yaml-config.ts'

/** What becomes of a configuration of LiteLLM's. */
function imported(yaml: string, variables: Record<string, string> = {}) {
  const { value } = parseYamlConfig(yaml, { ofLitellm: true })
  const { config, keys, notes } = importSource('litellm', value, { variables })
  return { ...config, keys, notes, lines: noteLines(notes).join('\n') }
}

/** One deployment, in the flow style of YAML. */
const deployment = (name: string, parameters: string, info = ''): string =>
  `  - { model_name: ${name}, litellm_params: { ${parameters} }, model_info: { ${info} } }\n`
const listOf = (...deployments: string[]): string => `model_list:\n${deployments.join('')}`
const one = (parameters: string, info = ''): string => listOf(deployment('m', parameters, info))

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

describe('accounts', () => {
  test('of one provider keep apart, each with the variable that is in the file where there is one', () => {
    const { providers, models, keys } = imported(
      listOf(
        deployment(
          'm',
          'model: azure/d, api_base: "https://a.openai.azure.com", api_key: os.environ/AZURE_API_KEY_EU',
        ),
        deployment(
          'm',
          'model: azure/d, api_base: "https://b.openai.azure.com", api_key: os.environ/AZURE_US_API_KEY',
        ),
        deployment('m', 'model: groq/l, api_key: os.environ/GROQ_API_KEY'),
        deployment('m', 'model: groq/l, api_key: os.environ/SECOND_GROQ_KEY'),
        deployment('m', 'model: groq/l, api_key: gsk_literal_one'),
      ),
    )
    expect(providers).toEqual({
      'azure-eu': { like: 'azure-openai', baseUrl: 'https://a.openai.azure.com/openai/v1' },
      'azure-us': { like: 'azure-openai', baseUrl: 'https://b.openai.azure.com/openai/v1' },
      'second-groq': { like: 'groq' },
      'groq-2': { like: 'groq' },
    })
    expect(models['m']?.tiers).toHaveLength(1)
    expect(keys.map(({ variable, from }) => [variable, from.kind])).toEqual([
      ['AZURE_EU_API_KEY', 'variable'],
      ['AZURE_US_API_KEY', 'variable'],
      ['GROQ_API_KEY', 'variable'],
      ['SECOND_GROQ_API_KEY', 'variable'],
      ['GROQ_2_API_KEY', 'literal'],
    ])
  })

  test('take their place and key from a credential of the file', () => {
    const { providers, keys } = imported(
      `${one('model: azure/d, litellm_credential_name: north')}credential_list: [{ credential_name: north, credential_values: ` +
        '{ api_base: "https://n.openai.azure.com", api_key: os.environ/AZURE_API_KEY } }]\n',
    )
    expect(providers).toEqual({ azure: { baseUrl: 'https://n.openai.azure.com/openai/v1' } })
    expect(keys.map(({ variable }) => variable)).toEqual(['AZURE_API_KEY'])
  })
})

test('no provider reads the variable that holds the key of another account', () => {
  const azure = (name: string, key: string) =>
    deployment(
      name,
      `model: azure/d, api_base: "https://${name}.openai.azure.com", api_key: os.environ/${key}`,
    )
  const { keys } = imported(
    listOf(
      azure('a', 'AZURE_OPENAI_API_KEY'),
      azure('b', 'AZURE_API_KEY'),
      azure('c', 'C_API_KEY'),
      azure('d', 'API_KEY_C'),
    ),
  )
  const held = new Set(keys.flatMap(({ from }) => (from.kind === 'variable' ? [from.name] : [])))
  for (const { variable, from } of keys) {
    if (from.kind === 'variable' && from.name !== variable) expect(held).not.toContain(variable)
  }
  expect(keys.map(({ variable }) => variable)).toEqual([
    'AZURE_OPENAI_API_KEY',
    'AZURE_API_KEY',
    'C_API_KEY',
    'D_API_KEY',
  ])
})

describe('groups', () => {
  const two = listOf(deployment('m', 'model: groq/a, rpm: 30'), deployment('m', 'model: cerebras/a, rpm: 10'))

  test('are one tier; simple-shuffle is weights by what is stated', () => {
    const weights = (yaml: string): unknown[] =>
      imported(yaml).models['m']?.tiers.flatMap(tier =>
        'alias' in tier ? [] : tier.map(entry => typeof entry === 'object' && entry.weight),
      ) ?? []
    expect(weights(two)).toEqual([30, 10])
    expect(weights(two.replace('rpm: 30', 'weight: 2, rpm: 30'))).toEqual([2, 0])
    expect(weights(two.replaceAll(/, rpm: \d+/g, ''))).toEqual([1, 1])
    expect(weights(two.replace('30', '3000000'))).toEqual([1_000, 0.003])
  })

  test.each([
    ['latency-based-routing', 'fastest'],
    ['cost-based-routing', 'cheapest'],
    ['least-busy', 'balanced'],
  ])('with %s have the strategy %s', (routing, strategy) => {
    const { models } = imported(`${two}router_settings: { routing_strategy: ${routing} }\n`)
    expect(models['m']?.strategy).toBe(strategy)
    expect(JSON.stringify(models)).not.toContain('weight')
  })

  test('with an order are tiers, the lowest first', () => {
    const { models } = imported(
      listOf(
        deployment('m', 'model: groq/a, order: 2'),
        deployment('m', 'model: cerebras/a, order: 1'),
        deployment('m', 'model: xai/a'),
      ),
    )
    expect(models['m']?.tiers).toEqual([['cerebras/a'], ['groq/a'], ['xai/a']])
  })

  test('of embeddings have one tier, and no fallback', () => {
    const { models, lines } = imported(
      `${listOf(deployment('e', 'model: openai/text-embedding-3-small, order: 2'), deployment('e', 'model: voyage/text-embedding-3-small, order: 1'), deployment('m', 'model: gpt-4o'))}litellm_settings: { fallbacks: [{ e: [m] }] }\n`,
    )
    expect(models['e']).toMatchObject({ kind: 'embeddings' })
    expect(models['e']?.tiers).toHaveLength(1)
    expect(lines).toMatch(/vectors of different models do not mix/)
  })
})

describe('fallbacks', () => {
  const three = listOf(
    deployment('a', 'model: openai/a'),
    deployment('b', 'model: groq/b'),
    deployment('c', 'model: xai/c'),
  )
  const tiersOf = (settings: string): Record<string, unknown> => {
    const { models } = imported(three + settings)
    return Object.fromEntries(Object.entries(models).map(([name, { tiers }]) => [name, tiers]))
  }

  test('are further tiers', () => {
    expect(tiersOf('router_settings: { fallbacks: [{ a: [b, c] }] }\n')).toMatchObject({
      a: [['openai/a'], { alias: 'b' }, { alias: 'c' }],
      b: [['groq/b']],
    })
  })

  test('that lead back to each other end', () => {
    expect(tiersOf('litellm_settings: { fallbacks: [{ a: [b] }, { b: [a] }] }\n')).toMatchObject({
      a: [['openai/a'], ['groq/b']],
      b: [['groq/b'], ['openai/a']],
    })
  })

  test.each<[string, string, unknown]>([
    ['go on', 'fallbacks: [{ a: [b] }, { b: [c] }]', [['openai/a'], ['groq/b'], { alias: 'c' }]],
    [
      'come before the next one',
      'fallbacks: [{ a: [b, c] }, { b: [d] }]',
      [['openai/a'], ['groq/b'], { alias: 'd' }, { alias: 'c' }],
    ],
    ['end at the limit', 'max_fallbacks: 1, fallbacks: [{ a: [b] }, { b: [c] }]', [['openai/a'], ['groq/b']]],
  ])('of fallbacks %s', (_, settings, tiers) => {
    const { models } = imported(
      `${three}${deployment('d', 'model: mistral/d')}router_settings: { ${settings} }\n`,
    )
    expect(models['a']?.tiers).toEqual(tiers)
  })

  test('that stand twice count once: the first entry, and the list of router_settings', () => {
    const twice = imported(`${three}router_settings: { fallbacks: [{ a: [b] }, { a: [c] }] }\n`)
    expect(twice.models['a']?.tiers).toEqual([['openai/a'], { alias: 'b' }])
    expect(twice.lines).toMatch(/a second entry of fallbacks for a: the first entry counts/)
    const both = imported(
      `${three}litellm_settings: { fallbacks: [{ a: [c] }] }\nrouter_settings: { fallbacks: [{ a: [{ model: b, temperature: 0 }] }] }\n`,
    )
    expect(both.models['a']?.tiers).toEqual([['openai/a'], { alias: 'b' }])
    expect(both.lines).toMatch(/litellm_settings.fallbacks: router_settings has its own/)
    expect(both.lines).toMatch(/the fields of the fallback b: fields of the request/)
  })

  test('for all others stand behind every model that names none', () => {
    expect(
      tiersOf('litellm_settings: { default_fallbacks: [c], context_window_fallbacks: [{ a: [b] }] }\n'),
    ).toEqual({
      a: [['openai/a'], { alias: 'c' }, ['groq/b']],
      b: [['groq/b'], { alias: 'c' }],
      c: [['xai/c']],
    })
  })

  test('to what does not exist are told', () => {
    expect(imported(`${three}router_settings: { fallbacks: [{ a: [z] }] }\n`).lines).toMatch(
      /the fallback z \(a\): no model of this name/,
    )
  })

  test('may be to a second name, which is an alias', () => {
    const { models } = imported(
      `${three}router_settings: { model_group_alias: { old: b }, fallbacks: [{ a: [old] }] }\n`,
    )
    expect(models['a']?.tiers).toEqual([['openai/a'], { alias: 'b' }])
    expect(models['old']?.tiers).toEqual([{ alias: 'b' }])
  })
})

describe('patterns', () => {
  test('that lead to one model are the default', () => {
    const found = imported(listOf(deployment('"*"', 'model: openai/gpt-4o-mini')))
    expect(found.default).toBe('gpt-4o-mini')
    expect(found.models).toEqual({ 'gpt-4o-mini': { tiers: [['openai/gpt-4o-mini']] } })
  })

  test('of a provider are direct_models, under the name that clients use', () => {
    const found = imported(
      listOf(deployment('openai/*', 'model: openai/*'), deployment('together_ai/*', 'model: together_ai/*')),
    )
    expect(found.settings).toEqual({ direct_models: true })
    expect(found.providers).toEqual({ together_ai: { like: 'together' } })
    expect(found.lines).toMatch(/"openai\/\*", "together_ai\/\*": written as the setting direct_models/)
  })

  test('of an account that cannot have their name are told', () => {
    const { lines, providers } = imported(
      listOf(
        deployment(
          'a',
          'model: azure/d, api_base: "https://a.openai.azure.com", api_key: os.environ/AZURE_API_KEY',
        ),
        deployment(
          'azure/*',
          'model: azure/*, api_base: "https://b.openai.azure.com", api_key: os.environ/AZURE_OPENAI_API_KEY',
        ),
      ),
    )
    expect(providers).toMatchObject({ 'azure-openai': { baseUrl: 'https://b.openai.azure.com/openai/v1' } })
    expect(lines).toContain('"azure/*": clients write azure-openai/<model>: azure is another account here.')
  })

  test('of a provider lead to fallbacks too', () => {
    const { models } = imported(
      `${listOf(deployment('m', 'model: groq/a'), deployment('openai/*', 'model: openai/*'))}litellm_settings: { fallbacks: [{ m: [openai/gpt-4o] }] }\n`,
    )
    expect(models['m']?.tiers).toEqual([['groq/a'], ['openai/gpt-4o']])
  })

  test('of names are left out', () => {
    const { lines } = imported(
      listOf(deployment('m', 'model: gpt-4o'), deployment('claude-*', 'model: anthropic/claude-*')),
    )
    expect(lines).toMatch(/claude-\*: a pattern of names has no counterpart/)
  })
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

test('variables of the file and of the environment fill in places', () => {
  const yaml = `environment_variables: { BASE: "https://f.openai.azure.com" }\n${listOf(
    deployment('f', 'model: azure/d, api_base: os.environ/BASE'),
    deployment('e', 'model: azure/d, api_base: "${ELSEWHERE}"'),
  )}`
  expect(imported(yaml, { ELSEWHERE: 'https://e.openai.azure.com' }).providers).toEqual({
    'azure-openai': { baseUrl: 'https://e.openai.azure.com/openai/v1' },
    azure: { baseUrl: 'https://f.openai.azure.com/openai/v1' },
  })
})

test.each([
  ['no model', 'model_list: []', /no model that can be called/],
  ['nothing but what cannot be called', one('model: vertex_ai/x'), /Left out:\n {2}m: calls are signed/],
  ['no model_list', 'general_settings: { master_key: x }', /has no model_list/],
])('a file with %s is refused', (_, yaml, message) => {
  expect(() => imported(yaml)).toThrow(message)
})
