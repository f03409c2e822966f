import type { Endpoint } from '../../lambdas/core/endpoint.ts'
import { endpointNamed } from '../core/build.ts'

/** A bare endpoint of a provider that wants a key, for tests that look at one field or two. */
export function endpointAt(provider: string, model = 'm', baseUrl = 'https://llm.example.com/v1'): Endpoint {
  return endpointNamed(`${provider}/${model}`, { provider, model, baseUrl, needsKey: true })
}
