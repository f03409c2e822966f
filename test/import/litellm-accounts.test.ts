import { describe, expect, test } from 'vitest'
import { deployment, importedLitellm as imported, listOf, one } from './imported-litellm.ts'

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
