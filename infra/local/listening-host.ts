import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { readKeys } from '../../lambdas/config/read-keys.ts'
import { CommandError } from '../terminal/command-error.ts'

export const LOOPBACK = '127.0.0.1'

/** An address of a remote end; those of IPv4 on a socket of IPv6 are `::ffff:127.0.0.1`. */
const withoutPrefix = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** Whether an address, or a name that always means one, is this machine itself. */
export function isLoopback(host: string): boolean {
  const bare = withoutPrefix(host.toLowerCase())
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

const isEveryAddress = (host: string): boolean => /^(?:0\.0\.0\.0|::|0(?::0){7})$/.test(host)

/**
 * Throws where client keys are written and none of them can be one: without any, the gateway would serve whoever
 * reaches it, against what was meant.
 */
export function assertUsableClientKeys(variables: Readonly<Record<string, string | undefined>>): void {
  const { keys, warnings } = readKeys('BACKSTOP_CLIENT_KEYS', variables)
  if (keys.length > 0 || warnings.length === 0) return
  throw new CommandError(
    `${warnings.join(' ')} No client key is left, so that any caller would be served. ` +
      'Create one with npm run keys -- client add NAME, or remove the variable; then start again.',
  )
}

/** The address to listen on. Throws where the network could call what nobody needs a key for. */
export function listeningHost(written: string, hasClientKeys: boolean): string {
  const host = written.trim().replace(/^\[(.*)\]$/, '$1')
  if (host === '' || /[\s/@]/.test(host) || (host.includes(':') && isIP(host) !== 6))
    throw new CommandError(
      `--host ${written}: expected an address or a name alone, such as 0.0.0.0. The port is --port N.`,
    )
  if (hasClientKeys || isLoopback(host)) return host
  throw new CommandError(
    `--host ${host} opens the gateway to other machines, so its callers need a key. ` +
      'Create one with npm run keys -- client add NAME, or set BACKSTOP_CLIENT_KEYS; then start again.',
  )
}

const urlOf = (host: string, port: number): string =>
  `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`

/** How it is called from this machine. */
export const localUrl = (host: string, port: number): string =>
  urlOf(isEveryAddress(host) ? LOOPBACK : host, port)

/** How other machines call it: by every address that this one has; empty where they cannot. */
export function networkUrls(host: string, port: number): readonly string[] {
  if (isLoopback(host)) return []
  if (!isEveryAddress(host)) return [urlOf(host, port)]
  const addresses = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  return addresses
    .filter(
      ({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (host === '::' && !scopeid)),
    )
    .map(({ address }) => urlOf(address, port))
}
