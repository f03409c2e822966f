import {
  NATIVE_API_NAMES,
  NATIVE_APIS,
  type EndpointWire,
  type EndpointWires,
  type NativeApi,
} from '../core/native-call.ts'
import type { Endpoint } from '../core/endpoint.ts'
import { rowOf } from '../providers/catalog.ts'
import type { ProviderConfig } from './gateway-config.ts'

type WiresConfig = ProviderConfig['wires']

/** A path resolved like a link from the base URL: under it, on its host where it begins with a slash, or a whole URL. */
function urlOf(path: string, baseUrl: string): string {
  const [base = '', ...query] = baseUrl.split('?')
  const { href } = new URL(path, `${base.replace(/\/+$/, '')}/`)
  return [href, ...query].join('?')
}

/** The APIs beside the chat completions in which an endpoint can be called; the configuration wins over the catalogue. */
export function wiresOf(
  { baseUrl, model, ...provider }: Pick<Endpoint, 'provider' | 'like' | 'baseUrl' | 'model'>,
  ...configured: readonly WiresConfig[]
): EndpointWires {
  const row = rowOf(provider).wires
  const wireOf = (api: NativeApi): EndpointWire | null => {
    const known = row[api]
    const served = known && (known.models?.test(model) ?? true) ? known : undefined
    const said = configured.map(wires => wires?.[api]).filter(wire => wire !== undefined)
    if (said.includes(false) || (!served && said.length === 0)) return null
    const config: { path?: string; stateful?: boolean } = Object.assign({}, ...said)
    return {
      url: urlOf(config.path ?? served?.path ?? api, baseUrl),
      authentication: served?.authentication ?? NATIVE_APIS[api].authentication,
      stateful: config.stateful ?? served?.stateful ?? false,
      countsTokens: served?.countsTokens ?? false,
    }
  }
  return Object.fromEntries(
    NATIVE_API_NAMES.flatMap(api => {
      const wire = wireOf(api)
      return wire ? [[api, wire]] : []
    }),
  )
}
