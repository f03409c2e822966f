import { describe, expect, it, test } from 'vitest'
import { problemsOf } from './problems-of.ts'

const withTiers = (...tiers: unknown[]) => ({ models: { m: { tiers } } })
const withProvider = (id: string, provider: unknown) => ({ providers: { [id]: provider }, models: {} })

test.each<[string, unknown, string]>([
  [
    'nothing at all',
    null,
    '(top level): expected an object { providers, models, clients, settings, deploy }, got null',
  ],
  ['no models', {}, 'models: expected an object of models by alias, got nothing'],
  ['an unknown section', { models: {}, model: {} }, 'model: unknown section. Did you mean "models"?'],
  ['no tiers', withTiers(), 'models.m.tiers: expected at least one tier'],
  ['an empty tier', withTiers(['groq/a'], []), 'models.m.tiers[1]: expected at least one endpoint in a tier'],
  [
    'a tier that is no list',
    withTiers('groq/a'),
    'models.m.tiers[0]: expected a list of endpoints that serve the same model, or { alias: "<model>" } for the chain of another model, got "groq/a"',
  ],
  [
    'the chain of a model that there is not',
    { models: { house: { tiers: [['groq/a']] }, m: { tiers: [{ alias: 'hose' }] } } },
    'models.m.tiers[0].alias: unknown model "hose". Did you mean "house"?',
  ],
  [
    'a chain that leads back to itself',
    { models: { a: { tiers: [['groq/a'], { alias: 'a' }] } } },
    'models.a.tiers[1].alias: "a" leads back to "a"',
  ],
  [
    'a chain of texts that ends in vectors',
    {
      models: {
        a: { tiers: [['groq/a'], { alias: 'b' }] },
        b: { kind: 'embeddings', tiers: [['openai/text-embedding-3-small']] },
      },
    },
    'models.a.tiers[1].alias: expected a model of the kind "chat", got "b"',
  ],
  [
    'a model for every name',
    { models: { 'openai/*': { tiers: [['groq/a']] } } },
    'models["openai/*"]: expected the exact name of a model. To answer unknown names, set "default" to one of the models; to let clients send "provider/model", use the setting direct_models',
  ],
  [
    'a default that there is not',
    { models: { house: { tiers: [['groq/a']] } }, default: 'hause' },
    'default: unknown model "hause". Did you mean "house"?',
  ],
  [
    'a second account of nobody',
    withProvider('mine', { like: 'grok' }),
    'providers.mine.like: unknown provider "grok". Did you mean "groq"?',
  ],
  [
    'a provider of the catalogue that is like another one',
    withProvider('groq', { like: 'openai' }),
    'providers.groq.like: choose another ID: "groq" is in the catalogue itself',
  ],
  [
    'a second account whose URL nobody knows',
    withProvider('azure-eu', { like: 'azure-openai' }),
    'providers["azure-eu"]: needs the baseUrl of your account, such as "https://my-resource.openai.azure.com/openai/v1"',
  ],
  [
    'a key among the headers',
    withProvider('groq', { headers: { Authorization: 'Bearer sk-1' } }),
    'providers.groq.headers.Authorization: expected a header that the gateway does not write itself; keys do not belong in this file',
  ],
  [
    'a message among the added fields',
    withProvider('groq', { body: { messages: [] } }),
    'providers.groq.body: expected fields other than model, messages, input, stream, which are the client\'s, got {"messages":[]}',
  ],
  [
    'a model without tiers',
    { models: { m: {} } },
    'models.m.tiers: expected a list of tiers, the best first, each a list of endpoints, got nothing',
  ],
  [
    'a reference without a slash',
    withTiers(['gpt-4o']),
    'models.m.tiers[0][0]: expected "<provider>/<upstream model>", such as "openai/gpt-4o", got "gpt-4o"',
  ],
  [
    'a reference without a model',
    withTiers(['openai/']),
    'models.m.tiers[0][0]: expected "<provider>/<upstream model>", such as "openai/gpt-4o", got "openai/"',
  ],
  [
    'a reference with a space',
    withTiers(['openai/gpt 4o']),
    'models.m.tiers[0][0]: expected a reference without spaces, got "openai/gpt 4o"',
  ],
  [
    'a model of Bedrock that would open a policy to others',
    withTiers(['bedrock/openai.*']),
    'models.m.tiers[0][0]: expected the full ID of one model, got "bedrock/openai.*"',
  ],
  [
    'a mistyped provider',
    withTiers(['opnai/gpt-4o']),
    'models.m.tiers[0][0]: unknown provider "opnai". Did you mean "openai"?',
  ],
  [
    'a provider nobody knows',
    withTiers([{ endpoint: 'headquarters/m' }]),
    'models.m.tiers[0][0].endpoint: unknown provider "headquarters"; add a custom provider with its baseUrl to providers',
  ],
  [
    'a provider whose account is its URL',
    withTiers(['azure-openai/d']),
    'models.m.tiers[0][0]: providers["azure-openai"] needs the baseUrl of your account, such as "https://my-resource.openai.azure.com/openai/v1"',
  ],
  [
    'an endpoint twice',
    withTiers(['groq/a'], [{ endpoint: 'groq/a' }]),
    'models.m.tiers[1][0].endpoint: list each endpoint once: "groq/a" is already in tier 1',
  ],
  [
    'a number as an endpoint',
    withTiers([5]),
    'models.m.tiers[0][0]: expected "<provider>/<upstream model>" or an object with it as endpoint, got 5',
  ],
  [
    'an endpoint without its reference',
    withTiers([{ tools: true }]),
    'models.m.tiers[0][0].endpoint: expected "<provider>/<upstream model>", got nothing',
  ],
  [
    'a mistyped field',
    withTiers([{ endpoint: 'groq/a', contextwindow: 5 }]),
    'models.m.tiers[0][0].contextwindow: unknown endpoint field. Did you mean "contextWindow"?',
  ],
  [
    'half a token',
    withTiers([{ endpoint: 'groq/a', contextWindow: 0.5 }]),
    'models.m.tiers[0][0].contextWindow: expected a whole number of tokens, got 0.5',
  ],
  [
    'a price without its half',
    withTiers([{ endpoint: 'groq/a', price: { input: 1 } }]),
    'models.m.tiers[0][0].price.output: expected dollars per million tokens, got nothing',
  ],
  [
    'a negative price',
    withTiers([{ endpoint: 'groq/a', price: { input: -1, output: 0 } }]),
    'models.m.tiers[0][0].price.input: expected 0 or more dollars, got -1',
  ],
  [
    'words for a flag',
    withTiers([{ endpoint: 'groq/a', tools: 'yes' }]),
    'models.m.tiers[0][0].tools: expected true or false, got "yes"',
  ],
  [
    'a negative weight',
    withTiers([{ endpoint: 'groq/a', weight: -1 }, 'groq/b']),
    'models.m.tiers[0][0].weight: expected a share from 0 to 1000, got -1',
  ],
  [
    'an unknown strategy',
    { models: { m: { tiers: [['groq/a']], strategy: 'random' } } },
    'models.m.strategy: expected one of "priority", "balanced", "reliable", "fastest", "cheapest", got "random"',
  ],
  [
    'a hedge that is no time',
    { models: { m: { tiers: [['groq/a']], hedge: { afterMs: 10 } } } },
    'models.m.hedge.afterMs: expected milliseconds from 50 to 600000, got 10',
  ],
  [
    'a control character in an alias',
    { models: { 'a\n': { tiers: [['groq/a']] } } },
    'models["a\\n"]: expected a name without control characters and without spaces around it',
  ],
  [
    'an alias of nothing',
    { models: { '': { tiers: [['groq/a']] } } },
    'models[""]: expected a name without control characters and without spaces around it',
  ],
  [
    'an unknown provider without a URL',
    withProvider('opnai', {}),
    'providers.opnai: unknown provider "opnai". Did you mean "openai"? A custom provider needs a baseUrl.',
  ],
  [
    'an unknown host without a URL',
    withProvider('headquarters', {}),
    'providers.headquarters: unknown provider "headquarters"; a custom provider needs a baseUrl',
  ],
  [
    'cloudflare without its account',
    withProvider('cloudflare', {}),
    'providers.cloudflare: needs the baseUrl of your account, such as "https://api.cloudflare.com/client/v4/accounts/<account id>/ai/v1"',
  ],
  [
    'a slash in an id',
    withProvider('a/b', { baseUrl: 'https://a.example' }),
    'providers["a/b"]: expected an ID of letters, digits, dots, dashes and underscores',
  ],
  [
    'no URL',
    withProvider('groq', { baseUrl: 'groq.com' }),
    'providers.groq.baseUrl: expected a URL such as "https://llm.example.com/v1", got "groq.com"',
  ],
  [
    'another protocol',
    withProvider('groq', { baseUrl: 'ftp://a.example' }),
    'providers.groq.baseUrl: expected a URL that starts with https:// or http://, got "ftp://a.example"',
  ],
  [
    'a fragment',
    withProvider('groq', { baseUrl: 'https://a.example/#v1' }),
    'providers.groq.baseUrl: expected a URL without a #fragment, got "https://a.example/#v1"',
  ],
  [
    'the whole path',
    withProvider('groq', { baseUrl: 'https://a.example/v1/chat/completions' }),
    'providers.groq.baseUrl: expected the base without /chat/completions, which the gateway appends, got "https://a.example/v1/chat/completions"',
  ],
  [
    'a password in a URL, which is not repeated',
    withProvider('groq', { baseUrl: 'https://u:secret@a.example' }),
    'providers.groq.baseUrl: expected a URL without a name or password in it, got a URL (not shown)',
  ],
  [
    'a key, which is not repeated',
    withProvider('groq', { key: 'gsk_secret' }),
    'providers.groq.key: expected false, got a string (not shown). Keys do not belong in this file: set GROQ_API_KEY instead.',
  ],
  [
    'a key under another name',
    withProvider('groq', { apiKey: 'gsk_secret' }),
    'providers.groq.apiKey: unknown provider field. Keys do not belong in this file: set GROQ_API_KEY instead.',
  ],
  [
    'a timeout out of range',
    withProvider('groq', { idleTimeoutMs: 5 }),
    'providers.groq.idleTimeoutMs: expected milliseconds from 50 to 600000, got 5',
  ],
  [
    'both names of one timeout',
    withProvider('groq', { firstOutputTimeoutMs: 100, firstEventTimeoutMs: 200 }),
    'providers.groq.firstEventTimeoutMs: use firstOutputTimeoutMs alone; firstEventTimeoutMs is its older name',
  ],
  [
    'a setting out of range',
    { models: {}, settings: { retry_max_attempts: 99 } },
    'settings.retry_max_attempts: expected a number from 1 to 10, got 99',
  ],
  [
    'a setting of the wrong kind',
    { models: {}, settings: { direct_models: 1 } },
    'settings.direct_models: expected true or false, got 1',
  ],
  [
    'a choice that is none',
    { models: {}, settings: { content_filter: 'go' } },
    'settings.content_filter: expected one of "stop", "next", got "go"',
  ],
  [
    'an unknown setting',
    { models: {}, settings: { retry_max_attempt: 4 } },
    'settings.retry_max_attempt: unknown setting. Did you mean "retry_max_attempts"?',
  ],
])('%s is refused', (_, config, problem) => {
  expect(problemsOf(config)).toEqual([problem])
})

test('two ids that read one key variable are refused, because each would be sent the key of the other', () => {
  const providers = { 'llama.cpp': {}, llama_cpp: { baseUrl: 'https://a.example' } }
  expect(problemsOf({ providers, models: {} })).toEqual([
    'providers.llama_cpp: choose another ID: "llama.cpp" also reads its key from LLAMA_CPP_API_KEY',
  ])
})

test('every problem is reported at once, whatever the shape of the rest', () => {
  const config = {
    providers: { opnai: {}, groq: 5 },
    models: { a: { tiers: [['gorq/x'], 7] }, b: null },
    settings: { retry_base_ms: 'soon', nonsense: 1 },
  }
  expect(problemsOf(config).map(line => line.split(':')[0])).toEqual([
    'providers.groq',
    'models.a.tiers[1]',
    'models.b',
    'settings.retry_base_ms',
    'settings.nonsense',
    'providers.opnai',
    'models.a.tiers[0][0]',
  ])
})

test('a long value is cut', () => {
  expect(problemsOf(withTiers(['x'.repeat(500)])).join('').length).toBeLessThan(300)
})

test.each([
  'authorization',
  'X-Api-Key',
  'api_key',
  'x-goog-api-key',
  'Ocp-Apim-Subscription-Key',
  'X-Auth-Token',
  'CF-Access-Client-Secret',
  'Cookie',
  'Content-Length',
  'x-backstop-session',
  'a header',
])('the header %s is not taken from a file, and its value is not shown', header => {
  const problems = problemsOf(withProvider('groq', { headers: { [header]: 'sk-secret' } }))
  expect(problems).toEqual([
    expect.stringMatching(
      /^providers\.groq\.headers.*: expected a header that the gateway does not write itself/,
    ),
  ])
  expect(problems.join()).not.toContain('sk-secret')
})

test.each(['HTTP-Referer', 'X-Title', 'anthropic-beta', 'CF-Access-Client-Id', 'x-max-tokens', 'x-keyboard'])(
  'the header %s is',
  header => {
    expect(problemsOf(withProvider('groq', { headers: { [header]: 'v' } }))).toEqual([])
  },
)

describe('an alias of embeddings', () => {
  const providers = { a: { baseUrl: 'https://a.example/v1' }, b: { baseUrl: 'https://b.example/v1' } }
  const withTiers = (tiers: string[][]) => ({
    providers,
    models: { embed: { kind: 'embeddings', tiers } },
  })

  it('has one tier, because vectors of different models do not mix', () => {
    expect(problemsOf(withTiers([['a/e', 'b/e']]))).toEqual([])
    expect(problemsOf(withTiers([['a/e'], ['b/f']]))).toEqual([
      expect.stringMatching(/^models\.embed\.tiers: expected one tier .*do not mix/),
    ])
  })

  it('is named as such', () => {
    expect(problemsOf({ providers, models: { embed: { kind: 'vectors', tiers: [['a/e']] } } })).toEqual([
      'models.embed.kind: expected "chat" or "embeddings", got "vectors"',
    ])
  })
})
