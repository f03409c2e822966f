import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { upstreamTarget } from '../../lambdas/providers/upstream-target.ts'
import { endpointAt } from './endpoint-at.ts'

test.each([
  ['a plain base', 'https://a.example/v1', 'https://a.example/v1/chat/completions'],
  ['a base with a slash at its end', 'https://a.example/v1/', 'https://a.example/v1/chat/completions'],
  ['a bare host', 'https://a.example', 'https://a.example/chat/completions'],
  [
    'a query, which follows the path',
    'https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21',
    'https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21',
  ],
  [
    'a query with a question mark in it',
    'https://a.example/v1?x=1?2',
    'https://a.example/v1/chat/completions?x=1?2',
  ],
])('%s', (_, baseUrl, url) => {
  expect(upstreamTarget(endpointAt('office', 'm', baseUrl), null, '/chat/completions').url).toBe(url)
})

describe('headers', () => {
  test('a bearer token for most', () => {
    const { headers } = upstreamTarget(endpointAt('groq'), 'gsk_1', '/chat/completions')
    expect(headers['authorization']).toBe('Bearer gsk_1')
  })

  test.each(['azure-openai', 'azure'])("%s takes the key in a header of Microsoft's", provider => {
    const { headers } = upstreamTarget(endpointAt(provider), 'k', '/chat/completions')
    expect(headers).toMatchObject({ 'api-key': 'k' })
    expect(headers).not.toHaveProperty('authorization')
  })

  test.each(['groq', 'azure-openai', 'ollama'])('without a key %s is sent none', provider => {
    const { headers } = upstreamTarget(endpointAt(provider), null, '/chat/completions')
    expect(Object.keys(headers)).toEqual(['accept', 'accept-encoding', 'content-type', 'user-agent'])
  })

  test('the user agent names the version in package.json', () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(manifest).toHaveProperty('version')
    const { version } = manifest as { version: string }
    expect(upstreamTarget(endpointAt('groq'), null, '/chat/completions').headers['user-agent']).toBe(
      `backstop/${version}`,
    )
  })
})
