type Authentication = 'bearer' | { header: string }

/** The APIs that clients and some endpoints speak alike, beside the chat API; and how endpoints there take a key. */
export const NATIVE_APIS = {
  responses: { authentication: 'bearer' },
  messages: { authentication: { header: 'x-api-key' } },
} as const satisfies Record<string, { authentication: Authentication }>

export type NativeApi = keyof typeof NATIVE_APIS

const isNativeApi = (name: string): name is NativeApi => Object.hasOwn(NATIVE_APIS, name)
export const NATIVE_API_NAMES: readonly NativeApi[] = Object.keys(NATIVE_APIS).filter(isNativeApi)

/** How an endpoint is called in such an API. */
export type EndpointWire = {
  url: string
  authentication: Authentication
  /** It remembers answers, so that a request may refer to an earlier one. */
  stateful: boolean
  /** It counts the tokens of a request too. */
  countsTokens: boolean
}

export type EndpointWires = { readonly [Api in NativeApi]?: EndpointWire }

/** A request as the client wrote it, for an endpoint that speaks the client's API. */
export type NativeCall = {
  api: NativeApi
  /** The body: the client's own, to the byte where nothing had to be taken out. */
  text: string
  /** The same without what only the account can read that wrote it; null where it holds nothing of the kind. */
  unsealed: string | null
  /** Headers of the client that belong to the body. */
  headers: Readonly<Record<string, string>>
  /** The field that only such an endpoint can serve, and the one whose state it must hold; null = there is none. */
  needs: { api: string | null; state: string | null }
  /** The id of the earlier answer that it goes on from. */
  follows: string | null
  /** A later request may refer to the answer. */
  isStored: boolean
}
