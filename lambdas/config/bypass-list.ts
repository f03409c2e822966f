import { BlockList, isIP } from 'node:net'

type Host = { name: string; port: string }

/** `host`, `host:port`, `[::1]:port` or a whole URL, as people write them. */
function hostOf(text: string): Host {
  const bare = text.replace(/^[a-z][\w+.-]*:\/\//, '').replace(/\/.*$/, '')
  const [, bracketed, name = bare, port = ''] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(bare) ?? []
  return { name: bracketed ?? name, port }
}

/** What no proxy can reach in our stead: this machine, and what only its own link knows, such as AWS's metadata. */
function ownAddresses(): BlockList {
  const own = new BlockList()
  own.addSubnet('127.0.0.0', 8, 'ipv4')
  own.addAddress('0.0.0.0', 'ipv4')
  own.addSubnet('169.254.0.0', 16, 'ipv4')
  own.addAddress('::1', 'ipv6')
  own.addAddress('::', 'ipv6')
  own.addSubnet('fe80::', 10, 'ipv6')
  return own
}

function addSubnet(list: BlockList, entry: string): boolean {
  const [, address = '', bits = ''] = /^([\d.]+|[\da-f:]+)\/(\d{1,3})$/.exec(entry) ?? []
  const family = isIP(address)
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) return false
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  return true
}

/**
 * Whether a URL is to be called past the proxy, by the list in `NO_PROXY`: hosts (their subdomains included), `.domain`,
 * `*.domain`, addresses, subnets such as `10.0.0.0/8`, each with `:port` where only that is meant; `*` is everything.
 * This machine never needs to be listed.
 */
export function createBypassList(text: string): (url: URL) => boolean {
  const addresses = ownAddresses()
  const entries = text.toLowerCase().split(/[\s,;]+/)
  const hosts = entries
    .filter(entry => entry !== '' && !addSubnet(addresses, entry))
    .map(entry => {
      const { name, port } = hostOf(entry)
      return { name: name.replace(/^\*?\./, ''), port }
    })
  return ({ hostname, port, protocol }) => {
    const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const family = isIP(name)
    if (family !== 0 && addresses.check(name, family === 4 ? 'ipv4' : 'ipv6')) return true
    if (name === 'localhost' || name.endsWith('.localhost')) return true
    const actualPort = port || (protocol === 'https:' ? '443' : '80')
    return hosts.some(
      host =>
        (host.port === '' || host.port === actualPort) &&
        (host.name === '*' || host.name === name || (family === 0 && name.endsWith(`.${host.name}`))),
    )
  }
}
