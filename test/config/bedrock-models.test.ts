import { expect, test } from 'vitest'
import { bedrockModels } from '../../lambdas/config/bedrock-models.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { problemsOf } from './problems-of.ts'

const usWest = { like: 'bedrock', baseUrl: 'https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1' }

test('a second region is one of its own', () => {
  const config = {
    providers: { west: usWest },
    models: { a: { tiers: [['bedrock/m'], ['west/m', 'groq/m']] }, b: { tiers: [['west/m', 'west/n']] } },
  }
  expect(bedrockModels(parseGatewayConfig(config))).toEqual([
    { id: 'm', region: null },
    { id: 'm', region: 'us-west-2' },
    { id: 'n', region: 'us-west-2' },
  ])
})

test('a pattern in place of a model is refused there too', () => {
  const config = { providers: { west: usWest }, models: { a: { tiers: [['west/openai.*']] } } }
  expect(problemsOf(config)).toEqual([expect.stringContaining('expected the full ID of one model')])
})
