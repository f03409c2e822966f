import { Fn, Stack } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import { Backstop, type BackstopProps } from '../../infra/backstop.ts'
import { BackstopEdge, type BackstopEdgeProps } from '../../infra/backstop-edge.ts'
import { CONFIG, createApp, expectResource } from './synthesise.ts'

const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f'
const FIREWALL =
  'arn:aws:wafv2:us-east-1:123456789012:global/webacl/company/0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f'

type Options = { [Name in keyof BackstopEdgeProps]?: unknown }

function edgeIn(region: string, options: Options = {}, deploy = {}) {
  const app = createApp()
  const stack = new Stack(app, 'Shop', { env: { region, account: '123456789012' } })
  const backstop = new Backstop(stack, 'Llm', { config: { ...CONFIG, deploy } as BackstopProps['config'] })
  const certificate = Certificate.fromCertificateArn(stack, 'Certificate', CERTIFICATE)
  const edge = new BackstopEdge(stack, 'Edge', {
    backstop,
    domainName: 'llm.example.com',
    certificate,
    ...options,
  } as BackstopEdgeProps)
  return { app, stack, edge }
}

describe('the distribution', () => {
  const { stack, edge } = edgeIn('eu-central-1', { webAclArn: FIREWALL })
  const template = Template.fromStack(stack)

  it('answers for the domain with every method, and hands requests over as they are', () => {
    expect(edge.url).toBe('https://llm.example.com/')
    expectResource(template, 'AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Aliases: ['llm.example.com'],
        HttpVersion: 'http2and3',
        WebACLId: FIREWALL,
        ViewerCertificate: { AcmCertificateArn: CERTIFICATE, MinimumProtocolVersion: 'TLSv1.2_2021' },
        DefaultCacheBehavior: {
          AllowedMethods: Match.arrayWith(['GET', 'OPTIONS', 'POST']),
          // CachingDisabled and AllViewerExceptHostHeader, of AWS.
          CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
          OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
          Compress: false,
          ViewerProtocolPolicy: 'https-only',
        },
      },
    })
  })

  it('waits for a first byte longer than the gateway does, and never asks twice', () => {
    expectResource(template, 'AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Origins: [
          {
            ConnectionAttempts: 1,
            CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginReadTimeout: 60 },
            DomainName: { 'Fn::Select': [2, Match.anyValue()] },
          },
        ],
      },
    })
  })
})

describe('the firewall', () => {
  it('limits the requests of an address, answers like a limit, and looks into no body', () => {
    const { stack } = edgeIn('us-east-1', { requestsPerFiveMinutes: 500 })
    const template = Template.fromStack(stack)
    expectResource(template, 'AWS::WAFv2::WebACL', {
      Scope: 'CLOUDFRONT',
      DefaultAction: { Allow: {} },
      Rules: [
        {
          Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
          Statement: { RateBasedStatement: { Limit: 500, AggregateKeyType: 'IP' } },
        },
      ],
    })
    expect(JSON.stringify(template.findResources('AWS::WAFv2::WebACL'))).not.toContain('ManagedRuleGroup')
    expectResource(template, 'AWS::CloudFront::Distribution', {
      DistributionConfig: { WebACLId: { 'Fn::GetAtt': [Match.stringLikeRegexp('Firewall'), 'Arn'] } },
    })
  })

  it('cannot be made in another region, nor beside one that there is', () => {
    expect(() => edgeIn('eu-central-1', { requestsPerFiveMinutes: 500 })).toThrow(
      /only be created in us-east-1, and this stack is in eu-central-1.*webAclArn/,
    )
    expect(() => edgeIn('us-east-1', { requestsPerFiveMinutes: 500, webAclArn: FIREWALL })).toThrow(
      /not both/,
    )
  })
})

describe('what cannot work is refused in words', () => {
  it.each<[Options, RegExp]>([
    [{ backstop: undefined }, /^BackstopEdge: backstop is missing/],
    [{ certificate: undefined }, /^BackstopEdge: certificate is missing/],
    [{ domainName: undefined }, /^BackstopEdge: domainName is missing: state a host name such as/],
    [{ domainName: 'https://x/' }, /to be a host name such as "llm\.example\.com", got "https:\/\/x\/"\.$/],
    [{ domainName: 'llm.example.com:443' }, /to be a host name/],
    [{ domainName: '*.example.com' }, /to be a host name/],
    [{ domainName: `${'x'.repeat(64)}.example.com` }, /to be a host name/],
    [{ domainName: { name: 'llm.example.com' } }, /to be a host name .* got an object/],
    [
      { requestsPerFiveMinutes: 9 },
      /requestsPerFiveMinutes to be a whole number of 10 to 2000000000, got 9\./,
    ],
    [{ requestsPerFiveMinutes: 10.5 }, /whole number/],
    [{ requestsPerFiveMinutes: Number.NaN }, /whole number/],
    [{ requestsPerFiveMinutes: '500' }, /whole number .* got "500"/],
  ])('%j', (options, message) => {
    expect(() => edgeIn('us-east-1', options)).toThrow(message)
  })

  it('no properties at all', () => {
    expect(() => new BackstopEdge(new Stack(createApp(), 'Shop'), 'Edge', undefined as never)).toThrow(
      /^BackstopEdge: backstop is missing/,
    )
  })

  it('a gateway whose callers sign for its own host', () => {
    expect(() => edgeIn('us-east-1', {}, { auth: 'iam' })).toThrow(
      /deploy\.auth 'iam' cannot be behind a domain/,
    )
  })

  it('and nothing else', () => {
    for (const domainName of ['LLM.example.com', 'xn--bcher-kva.example', Fn.importValue('Domain')])
      expect(() => edgeIn('us-east-1', { domainName, requestsPerFiveMinutes: 10 })).not.toThrow()
  })
})

it.each([{}, { requestsPerFiveMinutes: 500 }])('cdk-nag has nothing to say, with %j', options => {
  const { app, stack } = edgeIn('us-east-1', options)
  const { violations } = new AwsSolutionsChecks(app).validateScope(stack)
  expect(violations.map(({ ruleName }) => ruleName)).toEqual([])
})
