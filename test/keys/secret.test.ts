import { describe, expect, it, test } from 'vitest'
import { parseSecret } from '../../lambdas/keys/secret.ts'

const parse = (value: unknown) => parseSecret(typeof value === 'string' ? value : JSON.stringify(value))

describe('a secret', () => {
  it('as the stack makes it knows one client', () => {
    const { secret, problems } = parse({ clients: {}, providers: {}, defaultClientKey: 'generated' })
    expect(secret).toEqual({ clients: [['default', 'generated']], providerKeys: new Map() })
    expect(problems).toEqual([])
  })

  it('names clients, and the key or keys of providers', () => {
    const { secret } = parse({
      defaultClientKey: 'd',
      clients: { app: 'a' },
      providers: { groq: 'one', openai: ['two', 'three'] },
    })
    expect(secret.clients).toEqual([
      ['default', 'd'],
      ['app', 'a'],
    ])
    expect([...secret.providerKeys]).toEqual([
      ['groq', ['one']],
      ['openai', ['two', 'three']],
    ])
  })

  it('may leave out what it does not need', () => {
    expect(parse({})).toEqual({ secret: { clients: [], providerKeys: new Map() }, problems: [] })
  })
})

describe('a slip', () => {
  it.each([
    ['no JSON', 'gsk-forgotten-braces'],
    ['nothing', ''],
    ['a list', []],
  ])('that makes it unreadable is told without its text: %s', (_, value) => {
    const { secret, problems } = parse(value)
    expect(secret.clients).toEqual([])
    expect(problems).toEqual([expect.stringContaining('expected { "defaultClientKey"')])
    expect(problems.join()).not.toContain('gsk')
  })

  test.each([
    ['a key', 'gsk-1'],
    ['a list', ['gsk-1']],
    ['nothing', null],
  ])('in place of a section costs that section alone: %s', (_, value) => {
    const { secret, problems } = parse({ defaultClientKey: 'd', clients: { app: 'a' }, providers: value })
    expect(secret.clients.map(([, key]) => key)).toEqual(['d', 'a'])
    expect(secret.providerKeys).toEqual(new Map())
    expect(problems).toEqual(['providers: expected an object of names and keys'])
    expect(parse({ defaultClientKey: 'd', clients: value }).secret.clients).toEqual([['default', 'd']])
  })

  test.each([
    ['a number', 12],
    ['an empty text', ''],
    ['spaces around it', ' gsk-2 '],
    ['a line break', 'gsk-2\n'],
    ['a list with a hole', ['gsk-2', null]],
  ])('in one entry costs that entry alone: %s', (_, value) => {
    const { secret, problems } = parse({ clients: { app: 'a' }, providers: { groq: value, openai: 'k' } })
    expect(secret.clients).toEqual([['app', 'a']])
    expect(secret.providerKeys.get('openai')).toEqual(['k'])
    expect(secret.providerKeys.get('groq')).toEqual([])
    expect(problems).toEqual(['providers.groq: expected a key of printable characters without spaces'])
  })

  it('that puts the key where the name belongs is told without it', () => {
    const { problems } = parse({ providers: { gsk_4aV0rZ81xQpL7mNe: 'my key of groq' } })
    expect(problems).toEqual(['providers.[key]: expected a key of printable characters without spaces'])
  })
})
