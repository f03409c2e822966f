import { Token } from 'aws-cdk-lib'
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda'
import type { BackstopEdgeProps } from '../backstop-edge.ts'
import { shown } from './construct-names.ts'

const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** What WAF takes as the limit of a rate rule. */
const LIMIT = { least: 10, most: 2_000_000_000 }

/** @throws what is wrong with the properties, in words; those of an app in JavaScript may lack any. */
export function checkEdge(props: Partial<BackstopEdgeProps> | undefined): void {
  const problem = problemOf(props ?? {})
  if (problem !== null) throw new Error(`BackstopEdge: ${problem}.`)
}

function problemOf(props: Partial<BackstopEdgeProps>): string | null {
  const { backstop, certificate, domainName, requestsPerFiveMinutes: limit, webAclArn } = props
  if (!backstop?.functionUrl) return 'backstop is missing: state the Backstop that is behind the domain'
  if (backstop.functionUrl.authType === FunctionUrlAuthType.AWS_IAM)
    return (
      "a gateway with deploy.auth 'iam' cannot be behind a domain, because callers sign for the domain and AWS " +
      "expects a signature for the host of the function's URL. Use deploy.auth 'key'"
    )
  if (domainName === undefined) return 'domainName is missing: state a host name such as "llm.example.com"'
  if (!Token.isUnresolved(domainName) && !(typeof domainName === 'string' && HOST.test(domainName)))
    return `expected domainName to be a host name such as "llm.example.com", got ${shown(domainName)}`
  if (!certificate) return 'certificate is missing: state one for the domain name, of us-east-1'
  if (limit === undefined) return null
  if (webAclArn !== undefined) return 'state either requestsPerFiveMinutes or webAclArn, not both'
  const isLimit = Number.isInteger(limit) && limit >= LIMIT.least && limit <= LIMIT.most
  if (Token.isUnresolved(limit) || isLimit) return null
  return `expected requestsPerFiveMinutes to be a whole number of ${LIMIT.least} to ${LIMIT.most}, got ${shown(limit)}`
}
