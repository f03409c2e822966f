import { expect, test } from 'vitest'
import { signedProviders } from '../../lambdas/keys/signed-providers.ts'

const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
const providers = {
  west: { like: 'bedrock' },
  second: { like: 'groq' },
  office: { baseUrl: 'https://llm.example.com/v1' },
}

test('a signature serves as a key for Bedrock, and for what is like it', () => {
  expect(signedProviders({ region: 'eu-west-1', credentials }, providers)).toEqual(['bedrock', 'west'])
})

test('without credentials it serves for nothing', () => {
  expect(signedProviders({ region: 'eu-west-1', credentials: null }, providers)).toEqual([])
})
