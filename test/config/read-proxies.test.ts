import { describe, expect, it, test } from 'vitest'
import { readProxies } from '../../lambdas/config/read-proxies.ts'

const PROXY = 'http://proxy.example.com:3128'

const nameFor = (url: string, env: Record<string, string>): string | null =>
  readProxies(env).proxyFor?.(url)?.name ?? null

describe('which proxy', () => {
  test.each<[string, Record<string, string>, string | null]>([
    ['https://a.test', {}, null],
    ['https://a.test', { HTTPS_PROXY: PROXY }, PROXY],
    ['http://a.test', { HTTPS_PROXY: PROXY }, null],
    ['http://a.test', { HTTP_PROXY: PROXY }, PROXY],
    ['https://a.test', { HTTP_PROXY: PROXY }, null],
    ['https://a.test', { HTTPS_PROXY: 'http://upper.test:1', https_proxy: PROXY }, PROXY],
    ['https://a.test', { HTTPS_PROXY: PROXY, https_proxy: '' }, PROXY],
    ['https://a.test', { ALL_PROXY: 'http://all.test:1', HTTPS_PROXY: PROXY }, PROXY],
    ['http://a.test', { all_proxy: PROXY }, PROXY],
    ['https://a.test', { HTTPS_PROXY: 'proxy.example.com:3128' }, PROXY],
    ['https://a.test', { HTTPS_PROXY: `${PROXY}/` }, PROXY],
    ['https://a.test', { HTTPS_PROXY: 'https://proxy.example.com' }, 'https://proxy.example.com:443'],
    ['https://a.test', { HTTPS_PROXY: 'http://[fd00::1]:3128' }, 'http://[fd00::1]:3128'],
  ])('%s with %o: %s', (url, env, expected) => expect(nameFor(url, env)).toBe(expected))

  test.each([
    ['me:secret', 'me:secret'],
    ['me:p%40ss%3Aword', 'me:p@ss:word'],
    ['me:100%', 'me:100%'],
    ['me', 'me:'],
  ])('signs in as %s', (written, sent) => {
    const { proxyFor, notices } = readProxies({ HTTPS_PROXY: `http://${written}@proxy.example.com:3128` })
    const proxy = proxyFor?.('https://a.test')
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from(sent).toString('base64')}`)
    expect(proxy?.name).toBe(PROXY)
    expect(notices).toEqual([`Calls to https:// hosts go through the proxy ${PROXY} (HTTPS_PROXY).`])
  })

  it('refuses SOCKS, and never repeats a password', () => {
    const { proxyFor, warnings } = readProxies({ ALL_PROXY: 'socks5://me:secret@127.0.0.1:1080' })
    expect(proxyFor).toBeNull()
    expect(warnings).toEqual([
      'ALL_PROXY is ignored, and calls do not go through it: expected an address such as ' +
        'http://proxy.example.com:3128; SOCKS is not supported, so use the HTTP port of the proxy.',
    ])
  })

  it('leaves a SOCKS proxy for all alone where the others are set', () => {
    const { warnings } = readProxies({ ALL_PROXY: 'socks5://a:1', HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY })
    expect(warnings).toEqual([])
  })

  test.each(['http://', 'http://a b', 'ftp://a.test', ':3128'])('refuses %s', value => {
    const { proxyFor, warnings } = readProxies({ HTTPS_PROXY: value })
    expect(proxyFor).toBeNull()
    expect(warnings).toEqual([
      'HTTPS_PROXY is ignored, and calls do not go through it: expected an address such as http://proxy.example.com:3128.',
    ])
  })
})

describe('NO_PROXY', () => {
  const isDirect = (url: string, list: string): boolean =>
    nameFor(url, { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: list }) === null

  test.each([
    ['llm.example.com', 'https://llm.example.com/v1'],
    ['example.com', 'https://llm.example.com/v1'],
    ['.example.com', 'https://llm.example.com/v1'],
    ['.example.com', 'https://example.com/v1'],
    ['*.example.com', 'https://llm.example.com/v1'],
    ['EXAMPLE.com', 'https://LLM.example.com./v1'],
    ['a.test, llm.example.com ,b.test', 'https://llm.example.com'],
    ['a.test llm.example.com', 'https://llm.example.com'],
    ['llm.example.com:8443', 'https://llm.example.com:8443'],
    ['llm.example.com:443', 'https://llm.example.com'],
    ['http://10.1.10.1', 'http://10.1.10.1:8000/v1'],
    ['http://office:8000/v1/', 'http://office:8000/v1'],
    ['10.0.0.0/8', 'http://10.1.10.1:8000/v1'],
    ['fd00::/8', 'http://[fd00::17]:8000/v1'],
    ['[fd00::17]:8000', 'http://[fd00::17]:8000/v1'],
    ['fd00::17', 'http://[fd00::17]:8000/v1'],
    ['*', 'https://api.openai.com'],
  ])('%s holds %s', (list, url) => expect(isDirect(url, list)).toBe(true))

  test.each([
    ['', 'https://llm.example.com'],
    ['ample.com', 'https://llm.example.com'],
    ['llm.example.com:8443', 'https://llm.example.com'],
    ['llm.example.com', 'https://example.com'],
    ['10.0.0.0/8', 'http://11.0.0.1'],
    ['10.0.0.0/99', 'http://10.0.0.1'],
    ['1.1', 'http://10.0.1.1'],
    ['.', 'https://llm.example.com'],
  ])('%s does not hold %s', (list, url) => expect(isDirect(url, list)).toBe(false))

  test.each([
    'http://localhost:11434',
    'http://dynamo.localhost',
    'http://127.0.0.1:8000',
    'http://127.1.2.3',
    'http://[::1]:8000',
    'http://0.0.0.0:8000',
    'http://169.254.169.254/latest/meta-data',
  ])('%s is called directly in any case', url => expect(isDirect(url, '')).toBe(true))
})
