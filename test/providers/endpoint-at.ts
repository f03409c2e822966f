import type { Endpoint } from '../../lambdas/core/endpoint.ts'

/** A bare endpoint of a provider, for tests that look at one field or two. */
export function endpointAt(provider: string, model = 'm', baseUrl = 'https://llm.example.com/v1'): Endpoint {
  return {
    id: `${provider}/${model}`,
    name: `${provider}/${model}`,
    provider,
    baseUrl,
    model,
    needsKey: true,
    isLocal: false,
    contextWindow: null,
    tools: null,
    vision: null,
    json: null,
    stream: null,
    droppedParams: [],
    price: null,
    timeouts: {},
  }
}
