import { isIP } from 'node:net'

/**
 * How TLS asks for the host that headers name: not at all, which is an empty name, where it is an address. Nothing where
 * they name none: then the URL does. Node itself looks for it in no list of headers.
 */
export function serverNameIn({ host }: Readonly<Record<string, string>>): { servername?: string } {
  if (host === undefined) return {}
  const name = host.startsWith('[') ? '' : host.replace(/:\d*$/, '')
  return { servername: isIP(name) === 0 ? name : '' }
}
