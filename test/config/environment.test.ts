import { describe, expect, test } from 'vitest'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import { SETTING_NAMES, describeSetting, parseSetting } from '../../lambdas/core/settings/setting-values.ts'
import { DEFAULT_SETTINGS } from '../../lambdas/core/settings/settings.ts'

const PROVIDERS = ['groq', 'azure-openai', 'llama.cpp', 'openai', 'gemini']

test('an empty environment says nothing', () => {
  expect(readEnvironment(PROVIDERS, {})).toEqual({
    providerKeys: new Map(),
    clientKeys: [],
    settings: {},
    proxyFor: null,
    notices: [],
    warnings: [],
    table: null,
    secret: null,
    stack: null,
    metricNamespace: 'Backstop',
    url: null,
    sdkAccess: expect.any(Function),
    aws: { region: 'us-east-1', credentials: null },
    tracing: null,
    passesTraces: true,
  })
})

test('the stack says where everything is, and what it is called', () => {
  const variables = {
    BACKSTOP_TABLE: 't',
    BACKSTOP_SECRET: 's',
    BACKSTOP_STACK: 'Backstop-dev',
    BACKSTOP_METRIC_NAMESPACE: 'Backstop/dev',
  }
  const { table, secret, stack, metricNamespace } = readEnvironment([], variables)
  expect([table, secret, stack, metricNamespace]).toEqual(['t', 's', 'Backstop-dev', 'Backstop/dev'])
})

describe('who we are in AWS', () => {
  const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const pair = { accessKeyId: 'id', secretAccessKey: 'secret' }
  test.each([
    ['a role', { ...KEYS, AWS_SESSION_TOKEN: 'token' }, { ...pair, sessionToken: 'token' }],
    ['a user', KEYS, pair],
    ['nobody, with half a pair', { AWS_ACCESS_KEY_ID: 'id' }, null],
    ['nobody, for all that a profile could say', { AWS_PROFILE: 'work' }, null],
  ])('%s', (_, env, credentials) => {
    expect(readEnvironment([], env).aws.credentials).toEqual(credentials)
  })

  test('and where', () => {
    const env = { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-2' }
    expect(readEnvironment([], env).aws.region).toBe('eu-west-1')
    expect(readEnvironment([], { AWS_DEFAULT_REGION: 'eu-west-2' }).aws.region).toBe('eu-west-2')
  })

  test('and where the SDK finds a service', () => {
    const [everywhere, own] = ['http://127.0.0.1:1', 'http://127.0.0.1:2']
    const env = {
      AWS_ENDPOINT_URL: everywhere,
      AWS_ENDPOINT_URL_DYNAMODB: own,
      AWS_USE_FIPS_ENDPOINT: 'true',
    }
    const { sdkAccess } = readEnvironment([], env)
    expect(sdkAccess('DYNAMODB')).toMatchObject({ endpoint: own, useFipsEndpoint: true })
    expect(sdkAccess('SECRETS_MANAGER').endpoint).toBe(everywhere)
    const plain = readEnvironment([], {}).sdkAccess('DYNAMODB')
    expect(plain).toMatchObject({ useFipsEndpoint: false, useDualstackEndpoint: false })
    // The SDK then looks for credentials by itself.
    expect(['endpoint' in plain, 'credentials' in plain]).toEqual([false, false])
  })
})

/** What the environment says about settings alone. */
function read(env: Record<string, string>): object {
  const { settings, warnings } = readEnvironment([], env)
  return { settings, warnings }
}

describe('keys', () => {
  test.each([
    ['GROQ_API_KEY', 'gsk_1', 'groq', ['gsk_1']],
    ['GROQ_API_KEY', ' gsk_1 , ,gsk_2,\n', 'groq', ['gsk_1', 'gsk_2']],
    ['AZURE_OPENAI_API_KEY', 'k', 'azure-openai', ['k']],
    ['LLAMA_CPP_API_KEY', 'k', 'llama.cpp', ['k']],
    ['GROQ_API_KEY', '“gsk_1”', 'groq', ['gsk_1']],
    ['GROQ_API_KEY', 'Bearer gsk_1', 'groq', ['gsk_1']],
    ['GROQ_API_KEY', '\u200bgsk_1\u00a0', 'groq', ['gsk_1']],
    ['AZURE_OPENAI_API_KEY', 'ABSKQmVkcm9j=', 'azure-openai', ['ABSKQmVkcm9j=']],
    ['GOOGLE_API_KEY', 'g', 'gemini', ['g']],
  ])('%s=%j belongs to %s', (variable, text, provider, keys) => {
    expect([...readEnvironment(PROVIDERS, { [variable]: text }).providerKeys]).toEqual([[provider, keys]])
  })

  test.each(['', ' ', ',', ' , '])('%j is no key', text => {
    expect(readEnvironment(PROVIDERS, { GROQ_API_KEY: text }).providerKeys.size).toBe(0)
  })

  test.each([
    ['gsk_1…', 'GROQ_API_KEY is ignored: it is shortened where it is shown. Copy the whole key.'],
    ['gsk_****abcd', 'GROQ_API_KEY is ignored: it is shortened where it is shown. Copy the whole key.'],
    ['ключ', 'GROQ_API_KEY is ignored: it holds characters that no key has. Copy it again.'],
    ...['<your key>', 'YOUR_API_KEY', 'gsk_your-key-here', 'gsk_xxxxxxxxxx', 'changeme', '{{key}}'].map(
      text => [
        text,
        'GROQ_API_KEY is ignored: it is what an example has in place of a key. Write your own there.',
      ],
    ),
    [
      'GROQ_API_KEY=gsk_1',
      'GROQ_API_KEY is ignored: it begins with the name of a variable. Write the key alone behind the first =.',
    ],
    ['gsk_1;gsk_2', 'GROQ_API_KEY is ignored: it holds a semicolon. Separate several keys by commas.'],
    ['gsk_1, g k', 'Key 2 of GROQ_API_KEY is ignored: it holds characters that no key has. Copy it again.'],
  ])('%j is ignored with a warning that does not show it', (text, warning) => {
    expect(readEnvironment(PROVIDERS, { GROQ_API_KEY: text }).warnings).toEqual([warning])
  })

  test.each([
    [{ OPENAI_API_KEY: 'gsk_1' }, 'openai', 'groq', 'GROQ_API_KEY'],
    [{ OPENAI_API_KEY: 'sk-ant-1' }, 'openai', 'anthropic', 'ANTHROPIC_API_KEY'],
    [{ GROQ_API_KEY: 'sk-or-v1-1' }, 'groq', 'openrouter', 'OPENROUTER_API_KEY'],
  ])('%j begins like a key of another provider, which is told', (variables, provider, owner, variable) => {
    expect(readEnvironment(PROVIDERS, variables).warnings).toEqual([
      `The key of ${provider} begins like a key of ${owner}: is it in the right variable? ${owner} reads ${variable}.`,
    ])
  })

  test.each([
    { OPENAI_API_KEY: 'sk-1' },
    { GROQ_API_KEY: 'gsk_1' },
    { VLLM_API_KEY: 'hf_1' },
    { OFFICE_API_KEY: 'gsk_1' },
  ])('%j may be in the right variable', variables => {
    expect(readEnvironment([...PROVIDERS, 'office'], variables).warnings).toEqual([])
  })

  test('of clients may look like anything', () => {
    const keys = ['a;b', 'APP_KEY=1', 'one']
    expect(readEnvironment([], { BACKSTOP_CLIENT_KEYS: keys.join() }).clientKeys).toEqual(keys)
  })

  test.each(['<key>', 'changeme', 'your-key', 'YOUR_API_KEY', 'sk-xxxxxxxx', 'key-goes-here'])(
    'of clients are not what examples have: %s',
    key => {
      const { clientKeys, warnings } = readEnvironment([], { BACKSTOP_CLIENT_KEYS: `${key},mine` })
      expect([clientKeys, warnings]).toEqual([
        ['mine'],
        [expect.stringMatching(/^Key 1 of BACKSTOP_CLIENT_KEYS is ignored: it is what an example has/)],
      ])
    },
  )

  test('stand in a familiar variable only where the provider’s own is not set', () => {
    const { providerKeys } = readEnvironment(PROVIDERS, { GOOGLE_API_KEY: 'old', GEMINI_API_KEY: 'new' })
    expect(providerKeys.get('gemini')).toEqual(['new'])
  })

  test('of providers nobody asked about are not read', () => {
    expect(readEnvironment(['groq'], { OPENAI_API_KEY: 'k' }).providerKeys.size).toBe(0)
  })

  test('of clients are a list too', () => {
    expect(readEnvironment([], { BACKSTOP_CLIENT_KEYS: 'a, b,' }).clientKeys).toEqual(['a', 'b'])
  })
})

describe('settings', () => {
  test.each<[string, string, object]>([
    ['RETRY_MAX_ATTEMPTS', '2', { retry_max_attempts: 2 }],
    ['RETRY_BASE_MS', ' 0 ', { retry_base_ms: 0 }],
    ['CONTENT_FILTER', 'next', { content_filter: 'next' }],
    ['DIRECT_MODELS', '1', { direct_models: true }],
    ['DIRECT_MODELS', 'False', { direct_models: false }],
    ['RETRY_MAX_ATTEMPTS', '', {}],
    ['retry_max_attempts', '2', {}],
  ])('%s=%j', (variable, text, settings) => {
    expect(read({ [variable]: text })).toEqual({ settings, warnings: [] })
  })

  test.each([
    ['RETRY_MAX_ATTEMPTS', '99', 'a number from 1 to 10'],
    ['RETRY_MAX_ATTEMPTS', 'many', 'a number from 1 to 10'],
    ['RETRY_MAX_ATTEMPTS', 'NaN', 'a number from 1 to 10'],
    ['IDLE_TIMEOUT_MS', 'Infinity', 'a number from 50 to 600000'],
    ['CONTENT_FILTER', 'Stop', 'one of "stop", "next"'],
    ['DIRECT_MODELS', '2', 'true or false'],
  ])('%s=%j is ignored with a warning', (variable, text, expected) => {
    expect(read({ [variable]: text })).toEqual({
      settings: {},
      warnings: [`${variable} is ignored: expected ${expected}.`],
    })
  })
})

test.each(SETTING_NAMES)('the default of %s reads back from text', name => {
  expect(parseSetting(name, String(DEFAULT_SETTINGS[name]))).toBe(DEFAULT_SETTINGS[name])
  expect(parseSetting(name, '')).toBeUndefined()
  expect(describeSetting(name)).not.toBe('')
})
