import { describe, expect, test } from 'vitest'
import { deployment, importedLitellm as imported, listOf } from './imported-litellm.ts'

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
    expect(imported(`${three}router_settings: { fallbacks: [{ a: [z] }, { y: [a] }] }\n`).lines).toMatch(
      /the fallbacks of y, the fallback z \(a\): no model of this name/,
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
