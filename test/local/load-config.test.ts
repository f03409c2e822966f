import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../infra/local/load-config.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backstop-load-'))
})

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const OWN = 'models:\n  house: { tiers: [[ollama/llama3.2]] }\n'

test('a configuration of its own may be YAML, with anchors', async () => {
  const text = `${OWN}  other: { tiers: [&all [groq/a, xai/b]] }\n  third: { tiers: [*all] }\n`
  const { config, lines } = await loadConfig(write('gateway.yaml', text), {})
  expect(config.models['third']?.tiers).toEqual([['groq/a', 'xai/b']])
  expect(lines).toEqual([])
})

test.each<[string, string, string, RegExp]>([
  [
    'a name that stands twice',
    'twice.yaml',
    `${OWN}  house: { tiers: [[groq/a]] }\n`,
    /cannot be read as YAML: Map keys must be unique at line 3/,
  ],
  ['YAML that is none', 'half.yaml', 'models: [', /half.yaml cannot be read as YAML: .*line 1/],
  ['a name of nothing', 'anchor.yaml', 'models: *all', /read as YAML: .*all/],
  [
    'an anchor within itself',
    'self.yaml',
    'models: &all { a: *all }',
    /read as YAML: an anchor is used within itself/,
  ],
  ['a value that never ends', 'deep.yaml', `models: ${'['.repeat(20_000)}`, /nested more than 100 deep/],
  ['JSON that never ends', 'deep.json', `${'['.repeat(200)}${']'.repeat(200)}`, /nested more than 100 deep/],
  ['a problem of the configuration', 'wrong.yml', OWN.replace('ollama', 'olama'), /Did you mean "ollama"/],
  [
    'an include that is missing',
    'main.yaml',
    'include: [part.yaml]\nmodel_list: []\n',
    /Cannot read .*part.yaml, which the configuration includes/,
  ],
])('%s is told', async (_, name, text, message) => {
  await expect(loadConfig(write(name, text), {})).rejects.toThrow(message)
})

test('a folder is no configuration, and JSON may have comments by its name', async () => {
  await expect(loadConfig(folder, {})).rejects.toThrow(/is a folder. Name a file/)
  const file = write(
    'gateway.jsonc',
    '{ // ours\n "models": { "house": { "tiers": [["ollama/llama3.2"]] } } }',
  )
  expect((await loadConfig(file, {})).config.models).toHaveProperty('house')
})

test("the Helm chart keeps the clients' key beside the configuration", async () => {
  const text = `masterkey: sk-of-the-chart\nreplicaCount: 2\nproxy_config:
  general_settings: { master_key: os.environ/PROXY_MASTER_KEY }
  model_list: [{ model_name: a, litellm_params: { model: groq/a } }]\n`
  const { variables, lines } = await loadConfig(write('values.yaml', text), {})
  expect(variables).toMatchObject({ BACKSTOP_CLIENT_KEYS: 'sk-of-the-chart' })
  expect(lines.join('\n')).toMatch(/replicaCount: values of the Helm chart/)
})

test("another gateway's runs with the keys of its file, of the environment, and of the .env beside it", async () => {
  write('.env', 'SECOND_KEY=gsk_two\nGROQ_API_KEY=gsk_beside\n')
  write(
    'part.yaml',
    'model_list: [{ model_name: b, litellm_params: { model: groq/b, api_key: os.environ/SECOND_KEY } }]\n',
  )
  const text = `
include: [part.yaml]
model_list:
  - { model_name: a, litellm_params: { model: groq/a } }
  - { model_name: d, litellm_params: { model: mistral/d } }
  - { model_name: c, litellm_params: { model: xai/c, api_key: xai-in-the-file } }
environment_variables: { MISTRAL_API_KEY: mistral-of-the-file, LINKED: os.environ/SECOND_KEY }
litellm_settings: { drop_params: true }
litellm_settings: { cache: true }
`
  const { config, variables, lines } = await loadConfig(write('config.yaml', text), {
    GROQ_API_KEY: 'gsk_one',
  })
  expect(Object.keys(config.models)).toEqual(['a', 'd', 'c', 'b'])
  expect(variables).toMatchObject({
    GROQ_API_KEY: 'gsk_one',
    SECOND_API_KEY: 'gsk_two',
    MISTRAL_API_KEY: 'mistral-of-the-file',
    XAI_API_KEY: 'xai-in-the-file',
  })
  expect(lines.join('\n')).toMatch(/a name that stands twice at line 9.*: the last one counts/)
  expect(lines.join('\n')).not.toMatch(/gsk_|xai-in|mistral-of/)
})

test('a config of Portkey and a request to OpenRouter are recognised too', async () => {
  const portkey = {
    strategy: { mode: 'single' },
    targets: [{ provider: 'groq', override_params: { model: 'a' } }],
  }
  expect((await loadConfig(write('p.json', JSON.stringify(portkey)), {})).config.models).toEqual({
    a: { tiers: [['groq/a']] },
  })
  expect((await loadConfig(write('o.json', '{ "models": ["a/b"] }'), {})).lines[0]).toMatch(
    /o.json is a configuration of OpenRouter/,
  )
})
