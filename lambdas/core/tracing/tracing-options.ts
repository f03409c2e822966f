import type { Sampler } from './sampling.ts'

/** Where spans are sent, and which; from the variables that OpenTelemetry names. */
export type TracingOptions = {
  /** The whole address, with `/v1/traces`. */
  url: string
  /** Sent with every export; they may hold a key. */
  headers: Readonly<Record<string, string>>
  /** The longest that an export may take. */
  timeoutMs: number
  compress: boolean
  sampler: Sampler
  /** What describes this process, `service.name` among it. */
  resource: Readonly<Record<string, string>>
}
