import { Duration, Stack, Token, Validations } from 'aws-cdk-lib'
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  type PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'
import type { Backstop } from './backstop.ts'
import { checkEdge } from './constructs/check-edge.ts'

export type BackstopEdgeProps = {
  /** Its callers send a key: with `auth: 'iam'` they sign for the host of its URL, which is not the domain. */
  backstop: Backstop
  /** A host name, without scheme and path. */
  domainName: string
  /** For the domain name, in us-east-1: CloudFront takes it from no other region. */
  certificate: ICertificate
  /** Creates a firewall with a rate rule: so many requests of one address in five minutes, 10 at least. The stack must be in us-east-1. */
  requestsPerFiveMinutes?: number
  /** The ARN of a firewall of your own, of the scope CLOUDFRONT. */
  webAclArn?: string
  /** For the first byte, and between two events; default: 60 s. More needs a higher quota of CloudFront. */
  responseTimeout?: Duration
  /** In which parts of the world CloudFront answers; default: all. */
  priceClass?: PriceClass
}

/** CloudFront with one's own domain in front of a gateway, and a firewall where one is wanted. */
export class BackstopEdge extends Construct {
  readonly distribution: Distribution
  /** The base URL of an SDK is this with `v1` appended. */
  readonly url: string

  constructor(scope: Construct, id: string, props: BackstopEdgeProps) {
    super(scope, id)
    checkEdge(props)
    const { backstop, domainName, certificate, requestsPerFiveMinutes, webAclArn, priceClass } = props
    const webAclId =
      requestsPerFiveMinutes === undefined ? webAclArn : this.#createFirewall(requestsPerFiveMinutes)
    this.url = `https://${domainName}/`
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `Backstop: ${backstop.stackReference}`,
      domainNames: [domainName],
      certificate,
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(priceClass !== undefined && { priceClass }),
      ...(webAclId !== undefined && { webAclId }),
      defaultBehavior: {
        origin: new HttpOrigin(backstop.host, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          // The longest that AWS allows unasked; the gateway's first byte may take 45 s.
          readTimeout: props.responseTimeout ?? Duration.seconds(60),
          keepaliveTimeout: Duration.seconds(60),
          // A second attempt of CloudFront would ask, and pay, twice.
          connectionAttempts: 1,
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // The platform finds the function by the host of its URL.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        // It would hold events until a block is full.
        compress: false,
      },
    })
    this.#explain()
  }

  /** Limits what one address may send. No rule looks into bodies: prompts hold whatever such rules look for. */
  #createFirewall(limit: number): string {
    const { region } = Stack.of(this)
    if (!Token.isUnresolved(region) && region !== 'us-east-1')
      throw new Error(
        `BackstopEdge: a firewall for CloudFront can only be created in us-east-1, and this stack is in ${region}. ` +
          'Create it in a stack there, and hand its ARN over as webAclArn.',
      )
    const visibility = { sampledRequestsEnabled: false, cloudWatchMetricsEnabled: true }
    return new CfnWebACL(this, 'Firewall', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: { ...visibility, metricName: 'BackstopFirewall' },
      rules: [
        {
          name: 'Rate',
          priority: 0,
          action: { block: { customResponse: { responseCode: 429 } } },
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit, evaluationWindowSec: 300 } },
          visibilityConfig: { ...visibility, metricName: 'BackstopRate' },
        },
      ],
    }).attrArn
  }

  #explain(): void {
    const reasons = {
      'AwsSolutions-CFR1':
        'Whether callers of some countries are refused is for the firewall of whoever wants that.',
      'AwsSolutions-CFR2': 'A firewall is an option, because it costs at least 6 dollars a month.',
      'AwsSolutions-CFR3':
        'The gateway logs every request, without the address that an access log would keep.',
    }
    for (const [rule, reason] of Object.entries(reasons))
      Validations.of(this.distribution).acknowledge({ id: rule, reason })
  }
}
