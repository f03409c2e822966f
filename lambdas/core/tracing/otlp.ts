/** The value of an attribute in OTLP's JSON, where 64-bit numbers are texts. */
type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: readonly OtlpValue[] } }

export type OtlpAttribute = { key: string; value: OtlpValue }

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
export type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  flags: number
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: readonly OtlpAttribute[]
  events: readonly { timeUnixNano: string; name: string; attributes: readonly OtlpAttribute[] }[]
  status: { code?: number; message?: string }
}

export const SPAN_KIND = { server: 2, client: 3 } as const
export const STATUS_ERROR = 2

/** Of the flags of a span beyond those of its context: whether the parent is another process's is known, and so. */
export const PARENT_KNOWN = 0x100
export const PARENT_REMOTE = 0x200

/** A fraction that is written as one, although it may happen to be whole. */
export type Fraction = { fraction: number }

type Value = string | number | boolean | Fraction | readonly string[]

export type Attributes = Readonly<Record<string, Value | null | undefined>>

function valueOf(value: Value): OtlpValue {
  switch (typeof value) {
    case 'string':
      return { stringValue: value.toWellFormed() }
    case 'boolean':
      return { boolValue: value }
    case 'number':
      return { intValue: String(Math.round(value)) }
    default:
      return 'fraction' in value
        ? { doubleValue: value.fraction }
        : { arrayValue: { values: value.map(valueOf) } }
  }
}

/** Attributes as OTLP lists them, without those that have no value. */
export const otlpAttributes = (attributes: Attributes): OtlpAttribute[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: valueOf(value) }],
  )

/** Epoch milliseconds in nanoseconds. A number cannot hold them. */
export const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`

/** One request to a collector. */
export const otlpRequest = (resource: Attributes, spans: readonly OtlpSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: otlpAttributes(resource) },
        scopeSpans: [{ scope: { name: 'backstop' }, spans }],
      },
    ],
  })
