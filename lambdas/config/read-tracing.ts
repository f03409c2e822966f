import { DEFAULT_SAMPLER, SAMPLERS, type Sampler } from '../core/tracing/sampling.ts'
import type { TracingOptions } from '../core/tracing/tracing-options.ts'

type Variables = { readonly [name: string]: string | undefined }

/** Null = nothing is recorded. */
export type TracingReading = { tracing: TracingOptions | null; warnings: readonly string[] }

const OFF: TracingReading = { tracing: null, warnings: [] }

/** Whether the traces of clients are continued and passed on to upstreams. */
export const passesTraces = (env: Variables): boolean =>
  (valueOf(env, 'OTEL_PROPAGATORS') ?? 'tracecontext').split(',').some(name => name.trim() === 'tracecontext')

const DEFAULT_TIMEOUT_MS = 10_000
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const HEADER_VALUE = /^[\x20-\x7e]*$/

/** A variable's value; one that is empty counts as not set. https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
const valueOf = (env: Variables, name: string): string | undefined => env[name]?.trim() || undefined

/** What holds for traces before what holds for every signal. */
const ofTraces = (env: Variables, name: string): string | undefined =>
  valueOf(env, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? valueOf(env, `OTEL_EXPORTER_OTLP_${name}`)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `name=value,other=value`, percent-encoded. */
const pairsOf = (text = ''): [string, string][] =>
  text.split(',').flatMap(pair => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[decode(pair.slice(0, at).trim()), decode(pair.slice(at + 1).trim())]]
  })

function urlOf(env: Variables): string | undefined {
  const own = valueOf(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const shared = valueOf(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  return own ?? (shared && `${shared.replace(/\/+$/, '')}/v1/traces`)
}

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

function readSampler(env: Variables, warn: (warning: string) => void): Sampler {
  const name = valueOf(env, 'OTEL_TRACES_SAMPLER')
  if (name === undefined) return DEFAULT_SAMPLER
  const known = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined
  if (!known) {
    warn(`OTEL_TRACES_SAMPLER is ignored: expected one of ${Object.keys(SAMPLERS).join(', ')}.`)
    return DEFAULT_SAMPLER
  }
  const { ratio, parentBased } = known
  if (ratio !== null) return { ratio, parentBased }
  const told = Number(valueOf(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1)
  if (told >= 0 && told <= 1) return { ratio: told, parentBased }
  warn('OTEL_TRACES_SAMPLER_ARG is ignored: expected a share from 0 to 1.')
  return { ratio: 1, parentBased }
}

function readTimeout(env: Variables, warn: (warning: string) => void): number {
  const told = ofTraces(env, 'TIMEOUT')
  if (told === undefined) return DEFAULT_TIMEOUT_MS
  if (/^\d{1,7}$/.test(told) && Number(told) > 0) return Number(told)
  warn('OTEL_EXPORTER_OTLP_TIMEOUT is ignored: expected milliseconds.')
  return DEFAULT_TIMEOUT_MS
}

function readHeaders(env: Variables, warn: (warning: string) => void): Record<string, string> {
  const pairs = pairsOf(ofTraces(env, 'HEADERS'))
  const sent = pairs.filter(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value))
  if (sent.length < pairs.length || (pairs.length === 0 && ofTraces(env, 'HEADERS') !== undefined)) {
    warn('OTEL_EXPORTER_OTLP_HEADERS is ignored in part: expected name=value, separated by commas.')
  }
  return Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value]))
}

/** What the platform tells of the function that this is. https://opentelemetry.io/docs/specs/semconv/resource/faas/ */
function functionOf(env: Variables): Record<string, string> {
  const name = valueOf(env, 'AWS_LAMBDA_FUNCTION_NAME')
  const version = valueOf(env, 'AWS_LAMBDA_FUNCTION_VERSION')
  const region = valueOf(env, 'AWS_REGION')
  if (name === undefined) return {}
  return {
    'cloud.provider': 'aws',
    'cloud.platform': 'aws_lambda',
    'faas.name': name,
    ...(version === undefined ? {} : { 'faas.version': version }),
    ...(region === undefined ? {} : { 'cloud.region': region }),
  }
}

/** Reads the variables that OpenTelemetry names. Without the address of a collector nothing is recorded. */
export function readTracing(env: Variables): TracingReading {
  const url = urlOf(env)
  if (url === undefined || valueOf(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return OFF
  const exporter = valueOf(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp'
  const protocol = ofTraces(env, 'PROTOCOL') ?? 'http/json'
  const warnings: string[] = []
  const warn = (warning: string): void => void warnings.push(warning)
  if (exporter !== 'otlp') {
    if (exporter === 'none') return OFF
    warn('No trace is recorded: OTEL_TRACES_EXPORTER may be otlp or none.')
    return { tracing: null, warnings }
  }
  if (!isHttp(url)) {
    warn(
      'No trace is recorded: OTEL_EXPORTER_OTLP_ENDPOINT is no address that begins with http:// or https://.',
    )
    return { tracing: null, warnings }
  }
  if (protocol === 'grpc') {
    warn(
      'No trace is recorded: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and spans are sent over HTTP only. ' +
        'Set it to http/json, and the endpoint to the HTTP port of the collector, which is 4318 by custom.',
    )
    return { tracing: null, warnings }
  }
  if (protocol === 'http/protobuf') {
    // Layers and operators of Kubernetes set it for every process, and every collector takes both.
    warn('OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf, and spans are sent as http/json.')
  } else if (protocol !== 'http/json') {
    warn('OTEL_EXPORTER_OTLP_PROTOCOL is ignored: expected http/json.')
  }
  const named = valueOf(env, 'OTEL_SERVICE_NAME')
  const tracing: TracingOptions = {
    url,
    headers: readHeaders(env, warn),
    timeoutMs: readTimeout(env, warn),
    compress: ofTraces(env, 'COMPRESSION') === 'gzip',
    sampler: readSampler(env, warn),
    resource: {
      'service.name': 'backstop',
      ...functionOf(env),
      ...Object.fromEntries(pairsOf(valueOf(env, 'OTEL_RESOURCE_ATTRIBUTES'))),
      ...(named === undefined ? {} : { 'service.name': named }),
    },
  }
  return { tracing, warnings }
}
