import { expect, test } from 'vitest'
import { problemsOf } from './problems-of.ts'

const withTiers = (...tiers: unknown[]) => ({ models: { m: { tiers } } })
const withProvider = (id: string, provider: unknown) => ({ providers: { [id]: provider }, models: {} })

test.each<[string, unknown, string]>([
  [
    'nothing at all',
    null,
    '(the whole): found null; expected an object { providers, models, settings, deploy }',
  ],
  ['no models', {}, 'models: found nothing; expected an object of models by alias'],
  [
    'an unknown section',
    { models: {}, model: {} },
    'model: found an unknown name; no such section, did you mean "models"?',
  ],
  ['no tiers', withTiers(), 'models.m.tiers: found []; expected at least one tier'],
  [
    'an empty tier',
    withTiers(['groq/a'], []),
    'models.m.tiers[1]: found []; expected at least one endpoint in a tier',
  ],
  [
    'a tier that is no list',
    withTiers('groq/a'),
    'models.m.tiers[0]: found "groq/a"; expected a list of endpoints that serve the same model',
  ],
  [
    'a model without tiers',
    { models: { m: {} } },
    'models.m.tiers: found nothing; expected a list of tiers, the best first, each a list of endpoints',
  ],
  [
    'a reference without a slash',
    withTiers(['gpt-4o']),
    'models.m.tiers[0][0]: found "gpt-4o"; expected "<provider>/<upstream model>", such as "openai/gpt-4o"',
  ],
  [
    'a reference without a model',
    withTiers(['openai/']),
    'models.m.tiers[0][0]: found "openai/"; expected "<provider>/<upstream model>", such as "openai/gpt-4o"',
  ],
  [
    'a reference with a space',
    withTiers(['openai/gpt 4o']),
    'models.m.tiers[0][0]: found "openai/gpt 4o"; expected a reference without spaces',
  ],
  [
    'a model of Bedrock that would open a policy to others',
    withTiers(['bedrock/openai.*']),
    'models.m.tiers[0][0]: found "bedrock/openai.*"; expected the whole id of one model',
  ],
  [
    'a mistyped provider',
    withTiers(['opnai/gpt-4o']),
    'models.m.tiers[0][0]: found "opnai/gpt-4o"; unknown provider "opnai", did you mean "openai"?',
  ],
  [
    'a provider nobody knows',
    withTiers([{ endpoint: 'headquarters/m' }]),
    'models.m.tiers[0][0].endpoint: found "headquarters/m"; unknown provider "headquarters"; a host of your own needs an entry in providers with its baseUrl',
  ],
  [
    'a provider whose account is its URL',
    withTiers(['azure-openai/d']),
    'models.m.tiers[0][0]: found "azure-openai/d"; expected the baseUrl of your account, such as "https://my-resource.openai.azure.com/openai/v1", in providers["azure-openai"]',
  ],
  [
    'an endpoint twice',
    withTiers(['groq/a'], [{ endpoint: 'groq/a' }]),
    'models.m.tiers[1][0].endpoint: found "groq/a"; expected each endpoint once, and this one stands in tier 1 already',
  ],
  [
    'a number as an endpoint',
    withTiers([5]),
    'models.m.tiers[0][0]: found 5; expected "<provider>/<upstream model>" or an object with it as endpoint',
  ],
  [
    'an endpoint without its reference',
    withTiers([{ tools: true }]),
    'models.m.tiers[0][0].endpoint: found nothing; expected "<provider>/<upstream model>"',
  ],
  [
    'a mistyped field',
    withTiers([{ endpoint: 'groq/a', contextwindow: 5 }]),
    'models.m.tiers[0][0].contextwindow: found an unknown name; no such field of an endpoint, did you mean "contextWindow"?',
  ],
  [
    'half a token',
    withTiers([{ endpoint: 'groq/a', contextWindow: 0.5 }]),
    'models.m.tiers[0][0].contextWindow: found 0.5; expected a whole number of tokens',
  ],
  [
    'a price without its half',
    withTiers([{ endpoint: 'groq/a', price: { input: 1 } }]),
    'models.m.tiers[0][0].price.output: found nothing; expected dollars per million tokens',
  ],
  [
    'a negative price',
    withTiers([{ endpoint: 'groq/a', price: { input: -1, output: 0 } }]),
    'models.m.tiers[0][0].price.input: found -1; expected 0 or more dollars',
  ],
  [
    'words for a flag',
    withTiers([{ endpoint: 'groq/a', tools: 'yes' }]),
    'models.m.tiers[0][0].tools: found "yes"; expected true or false',
  ],
  [
    'an unknown strategy',
    { models: { m: { tiers: [['groq/a']], strategy: 'random' } } },
    'models.m.strategy: found "random"; expected one of "priority", "balanced", "reliable", "fastest"',
  ],
  [
    'a control character in an alias',
    { models: { 'a\n': { tiers: [['groq/a']] } } },
    'models["a\\n"]: found "a\\n"; expected a name without control characters and without spaces around it',
  ],
  [
    'an alias of nothing',
    { models: { '': { tiers: [['groq/a']] } } },
    'models[""]: found ""; expected a name without control characters and without spaces around it',
  ],
  [
    'an unknown provider without a URL',
    withProvider('opnai', {}),
    'providers.opnai: found no baseUrl; "opnai" is not in the catalogue, did you mean "openai"? a host of your own needs a baseUrl',
  ],
  [
    'an unknown host without a URL',
    withProvider('headquarters', {}),
    'providers.headquarters: found no baseUrl; "headquarters" is not in the catalogue, a host of your own needs a baseUrl',
  ],
  [
    'cloudflare without its account',
    withProvider('cloudflare', {}),
    'providers.cloudflare: found no baseUrl; expected the baseUrl of your account, such as "https://api.cloudflare.com/client/v4/accounts/<account id>/ai/v1"',
  ],
  [
    'a slash in an id',
    withProvider('a/b', { baseUrl: 'https://a.example' }),
    'providers["a/b"]: found "a/b"; expected an id of letters, digits, dots, dashes and underscores',
  ],
  [
    'no URL',
    withProvider('groq', { baseUrl: 'groq.com' }),
    'providers.groq.baseUrl: found "groq.com"; expected a URL such as "https://llm.example.com/v1"',
  ],
  [
    'another protocol',
    withProvider('groq', { baseUrl: 'ftp://a.example' }),
    'providers.groq.baseUrl: found "ftp://a.example"; expected a URL that starts with https:// or http://',
  ],
  [
    'a fragment',
    withProvider('groq', { baseUrl: 'https://a.example/#v1' }),
    'providers.groq.baseUrl: found "https://a.example/#v1"; expected a URL without a #fragment',
  ],
  [
    'the whole path',
    withProvider('groq', { baseUrl: 'https://a.example/v1/chat/completions' }),
    'providers.groq.baseUrl: found "https://a.example/v1/chat/completions"; expected the base without /chat/completions, which the gateway appends',
  ],
  [
    'a password in a URL, which is not repeated',
    withProvider('groq', { baseUrl: 'https://u:secret@a.example' }),
    'providers.groq.baseUrl: found a URL, hidden here; expected a URL without a name or password in it',
  ],
  [
    'a key, which is not repeated',
    withProvider('groq', { key: 'gsk_secret' }),
    'providers.groq.key: found a text, hidden here; expected false, for a host that needs no key; keys themselves never stand in this file',
  ],
  [
    'a key under another name',
    withProvider('groq', { apiKey: 'gsk_secret' }),
    'providers.groq.apiKey: found an unknown name; no such field of a provider; keys never stand in this file: set GROQ_API_KEY instead',
  ],
  [
    'a timeout out of range',
    withProvider('groq', { idleTimeoutMs: 5 }),
    'providers.groq.idleTimeoutMs: found 5; expected milliseconds from 50 to 600000',
  ],
  [
    'both names of one timeout',
    withProvider('groq', { firstOutputTimeoutMs: 100, firstEventTimeoutMs: 200 }),
    'providers.groq.firstEventTimeoutMs: found 200; expected firstOutputTimeoutMs alone, of which this is the older name',
  ],
  [
    'a setting out of range',
    { models: {}, settings: { retry_max_attempts: 99 } },
    'settings.retry_max_attempts: found 99; expected a number from 1 to 10',
  ],
  [
    'a setting of the wrong kind',
    { models: {}, settings: { direct_models: 1 } },
    'settings.direct_models: found 1; expected true or false',
  ],
  [
    'a choice that is none',
    { models: {}, settings: { content_filter: 'go' } },
    'settings.content_filter: found "go"; expected one of "stop", "next"',
  ],
  [
    'an unknown setting',
    { models: {}, settings: { retry_max_attempt: 4 } },
    'settings.retry_max_attempt: found an unknown name; no such setting, did you mean "retry_max_attempts"?',
  ],
])('%s is refused', (_, config, problem) => {
  expect(problemsOf(config)).toEqual([problem])
})

test('two ids that read one key variable are refused, because each would be sent the key of the other', () => {
  const providers = { 'llama.cpp': {}, llama_cpp: { baseUrl: 'https://a.example' } }
  expect(problemsOf({ providers, models: {} })).toEqual([
    'providers.llama_cpp: found "llama_cpp"; expected another id, because "llama.cpp" reads its key from LLAMA_CPP_API_KEY too',
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
