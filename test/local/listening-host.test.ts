import { expect, test } from 'vitest'
import {
  assertUsableClientKeys,
  isLoopback,
  listeningHost,
  localUrl,
  networkUrls,
} from '../../infra/local/listening-host.ts'

test.each(['127.0.0.1', '127.1.2.3', 'localhost', 'LOCALHOST', '::1', '[::1]', '::ffff:127.0.0.1'])(
  '%s needs no client key',
  host => expect(isLoopback(listeningHost(host, false))).toBe(true),
)

test.each(['0.0.0.0', '::', '192.168.1.5', 'fd00::17', 'gateway.lan', '127.0.0.1.example.com'])(
  '%s opens the gateway, and so needs client keys',
  host => {
    expect(() => listeningHost(host, false)).toThrow(
      `--host ${host} opens the gateway to other machines, so its callers need a key. ` +
        'Create one with npm run keys -- client add NAME, or set BACKSTOP_CLIENT_KEYS; then start again.',
    )
    expect(listeningHost(host, true)).toBe(host)
  },
)

test.each(['', ' ', '0.0.0.0:4141', 'http://0.0.0.0', 'a b', 'localhost:80'])('"%s" is no address', host =>
  expect(() => listeningHost(host, true)).toThrow('expected an address or a name alone'),
)

test('every address of this machine is told to others, and the short one to itself', () => {
  expect(localUrl('0.0.0.0', 4141)).toBe('http://127.0.0.1:4141')
  expect(localUrl('::', 4141)).toBe('http://127.0.0.1:4141')
  expect(localUrl('::1', 4141)).toBe('http://[::1]:4141')
  expect(networkUrls('127.0.0.1', 4141)).toEqual([])
  expect(networkUrls('fd00::17', 4141)).toEqual(['http://[fd00::17]:4141'])
  for (const url of networkUrls('0.0.0.0', 4141)) expect(url).toMatch(/^http:\/\/(?!127\.)[\d.]+:4141$/)
})

test('client keys of which none can be one are an error, not a gateway that is open to all', () => {
  const check = (keys: string) => () => assertUsableClientKeys({ BACKSTOP_CLIENT_KEYS: keys })
  expect(check('<key>')).toThrow(
    /^BACKSTOP_CLIENT_KEYS is ignored: it is what an example has in place of a key.* No client key is left, so that any caller would be served\. Create one with npm run keys/,
  )
  expect(check('changeme,sk-…')).toThrow('No client key is left')
  for (const keys of ['', ' , ', 'changeme,mine']) expect(check(keys)).not.toThrow()
})
