import { describe, expect, it, test } from 'vitest'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { readTracing } from '../../lambdas/config/read-tracing.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }

describe('the variables of OpenTelemetry', () => {
  test.each([
    ['no collector is named', {}],
    ['it is disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }],
    ['traces have no exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
    ['the address is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ])('record nothing where %s, which needs no words', (_, env) => {
    expect(readTracing(env)).toEqual({ tracing: null, warnings: [] })
  })

  test.each([
    ['grpc', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /grpc.*http\/json.*4318/],
    ['an address without a scheme', { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /begins with http/],
    ['another exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin' }, /otlp or none/],
  ])('record nothing with %s, and say why', (_, env, words) => {
    const { tracing, warnings } = readTracing(env)
    expect(tracing).toBeNull()
    expect(warnings).toEqual([expect.stringMatching(words)])
  })

  it('have defaults', () => {
    expect(readTracing(ENDPOINT)).toEqual({
      tracing: {
        url: 'http://localhost:4318/v1/traces',
        headers: {},
        timeoutMs: 10_000,
        compress: false,
        sampler: { ratio: 1, parentBased: true },
        resource: { 'service.name': 'backstop' },
      },
      warnings: [],
    })
  })

  it('are all read', () => {
    const { tracing, warnings } = readTracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://unused',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otel.example.com/custom/path',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20dTpw,x-team=a%2Cb',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,service.name=shadowed,team=a%20b',
      OTEL_SERVICE_NAME: 'llm-gateway',
      AWS_LAMBDA_FUNCTION_NAME: 'backstop-gateway',
      AWS_REGION: 'eu-central-1',
    })
    expect(warnings).toEqual([])
    expect(tracing).toEqual({
      url: 'https://otel.example.com/custom/path',
      headers: { authorization: 'Basic dTpw', 'x-team': 'a,b' },
      timeoutMs: 2_500,
      compress: true,
      sampler: { ratio: 0.1, parentBased: true },
      resource: {
        'service.name': 'llm-gateway',
        'deployment.environment.name': 'prod',
        team: 'a b',
        'cloud.provider': 'aws',
        'cloud.platform': 'aws_lambda',
        'faas.name': 'backstop-gateway',
        'cloud.region': 'eu-central-1',
      },
    })
  })

  test.each([
    ['OTEL_TRACES_SAMPLER', 'sometimes', /expected one of always_on/],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', /expected milliseconds/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-key-alone', /name=value/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=secret-key', /name=value/],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', /sent as http\/json/],
  ])('%s=%s is told, never its value, and traces are recorded all the same', (name, value, words) => {
    const { tracing, warnings } = readTracing({ ...ENDPOINT, [name]: value })
    expect(tracing?.url).toBe('http://localhost:4318/v1/traces')
    expect(warnings).toEqual([expect.stringMatching(words)])
    expect(warnings.join()).not.toContain('secret-key')
  })

  it('a share that makes no sense is told', () => {
    const env = { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10%' }
    expect(readTracing(env)).toMatchObject({
      tracing: { sampler: { ratio: 1, parentBased: false } },
      warnings: [expect.stringMatching(/0 to 1/)],
    })
  })
})

test.each([
  [{}, /deploy\.openTelemetry.*expected endpoint, the layer/],
  [{ endpoint: 'localhost:4318' }, /openTelemetry\.endpoint.*expected an address/],
  [{ layer: 'collector' }, /openTelemetry\.layer.*expected the ARN/],
  [{ endpoint: 'http://a', variables: { SERVICE: 'a' } }, /expected variables of OpenTelemetry/],
  [
    { endpoint: 'http://a', variables: { OTEL_EXPORTER_OTLP_HEADERS: 'key=secret' } },
    /variables.*expected no headers here/,
  ],
])('%j is refused', (openTelemetry, words) => {
  expect(() =>
    parseGatewayConfig({ models: { chat: { tiers: [['groq/m']] } }, deploy: { openTelemetry } }),
  ).toThrow(words)
})
