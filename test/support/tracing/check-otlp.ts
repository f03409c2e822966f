import * as z from 'zod/mini'

/** What OTLP's JSON allows: field names of the proto, ids in hexadecimal digits, 64-bit numbers as texts. */
const hex = (digits: number) => z.string().check(z.regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`)))
const nanoseconds = z.string().check(z.regex(/^\d{19}$/))
const whole = z.string().check(z.regex(/^-?\d+$/))

const scalar = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: whole }),
  z.strictObject({ doubleValue: z.number() }),
])
const attribute = z.strictObject({
  key: z.string().check(z.minLength(1)),
  value: z.union([scalar, z.strictObject({ arrayValue: z.strictObject({ values: z.array(scalar) }) })]),
})
const attributes = z
  .array(attribute)
  .check(z.refine(list => new Set(list.map(({ key }) => key)).size === list.length, 'expected each key once'))

const spanSchema = z.strictObject({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: z.optional(hex(16)),
  traceState: z.optional(z.string()),
  flags: z.int().check(z.gte(0), z.lte(0xffffffff)),
  name: z.string().check(z.minLength(1)),
  kind: z.int().check(z.gte(1), z.lte(5)),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  events: z.array(z.strictObject({ timeUnixNano: nanoseconds, name: z.string(), attributes })),
  status: z.strictObject({
    code: z.optional(z.int().check(z.gte(0), z.lte(2))),
    message: z.optional(z.string()),
  }),
})

const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(spanSchema) }),
      ),
    }),
  ),
})

type Attribute = z.infer<typeof attribute>

/** A span as tests look at it: attributes as an object, times in milliseconds since the epoch. */
export type SeenSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  state: string | null
  flags: number
  name: string
  kind: number
  startMs: number
  endMs: number
  attributes: Record<string, unknown>
  events: { name: string; atMs: number }[]
  status: { code?: number | undefined; message?: string | undefined }
}

const plain = (value: Attribute['value']): unknown =>
  'arrayValue' in value ? value.arrayValue.values.map(plain) : Object.values(value)[0]
const objectOf = (list: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]))
const milliseconds = (text: string): number => Number(BigInt(text) / 1_000_000n)

/** The spans of an export, and the resource; throws where the body breaks a rule of the protocol. */
export function readOtlp(body: string): { spans: SeenSpan[]; resource: Record<string, unknown> } {
  const { resourceSpans } = requestSchema.parse(JSON.parse(body))
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans))
  for (const { startTimeUnixNano: from, endTimeUnixNano: to, events } of spans) {
    const times = [from, ...events.map(({ timeUnixNano }) => timeUnixNano), to]
    if (times.some((time, at) => time < (times[at - 1] ?? ''))) throw new Error(`out of order: ${times}`)
  }
  return {
    resource: objectOf(resourceSpans[0]?.resource.attributes ?? []),
    spans: spans.map(span => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? null,
      state: span.traceState ?? null,
      flags: span.flags,
      name: span.name,
      kind: span.kind,
      startMs: milliseconds(span.startTimeUnixNano),
      endMs: milliseconds(span.endTimeUnixNano),
      attributes: objectOf(span.attributes),
      events: span.events.map(({ name, timeUnixNano }) => ({ name, atMs: milliseconds(timeUnixNano) })),
      status: span.status,
    })),
  }
}
