/** A server of our own network through which calls leave it. */
export type HttpProxy = {
  /** For people, without credentials: `http://proxy.example.com:3128`. */
  name: string
  /** It is itself called with TLS. */
  secure: boolean
  host: string
  port: number
  /** The value of `proxy-authorization`; null where the proxy asks for none. */
  authorization: string | null
}

/** The proxy through which a URL is to be called; null = directly. */
export type ProxyFor = (url: string) => HttpProxy | null
