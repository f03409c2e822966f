import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'

/** What one service answers: a status and a body. */
export type FakeAnswer = { status?: number; body: string | object; headers?: Record<string, string> }

/** What the cloud was asked, in the words of this test. */
export type FakeCall = { operation: string; input: Record<string, unknown>; authorization: string }

type SecretVersion = { id: string; text: string }

export type FakeAws = AsyncDisposable & {
  readonly endpoint: string
  readonly calls: readonly FakeCall[]
  /** The secret as it is; a test may change it as somebody else would. */
  secret: SecretVersion
  /** Answers in the place of the usual ones, by operation. */
  readonly answers: Map<string, () => FakeAnswer>
  callsOf(operation: string): FakeCall[]
}

export const STACK = 'Backstop-test'

const refusal = (name: string, message: string): FakeAnswer => ({
  status: 400,
  body: { __type: name, message },
})

const xml = (outputs: Record<string, string>): string =>
  `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>` +
  `<member><StackName>${STACK}</StackName><StackStatus>CREATE_COMPLETE</StackStatus>` +
  `<CreationTime>2026-01-01T00:00:00Z</CreationTime><Outputs>${Object.entries(outputs)
    .map(
      ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    )
    .join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`

/** An error in the form of CloudFormation. */
export const xmlError = (status: number, code: string, message: string): FakeAnswer => ({
  status,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
})

async function callOf(request: IncomingMessage): Promise<FakeCall> {
  const body = await text(request)
  const { authorization = '' } = request.headers
  const target = request.headers['x-amz-target']
  if (typeof target === 'string')
    return {
      operation: target.split('.').at(-1) ?? '',
      input: JSON.parse(body) as FakeCall['input'],
      authorization,
    }
  if (request.url?.includes('/invocations'))
    return {
      operation: 'Invoke',
      input: { url: request.url, payload: JSON.parse(body) as unknown },
      authorization,
    }
  const input = Object.fromEntries(new URLSearchParams(body))
  return { operation: input['Action'] ?? '', input, authorization }
}

/** CloudFormation, Secrets Manager, Lambda and CloudWatch Logs, as far as the commands ask them. */
export async function startFakeAws(outputs: Record<string, string>, secret: object): Promise<FakeAws> {
  const calls: FakeCall[] = []
  const answers = new Map<string, () => FakeAnswer>()
  const pending = new Map<string, string>()
  const state = { secret: { id: 'version-1', text: JSON.stringify(secret) } }

  function usual({ operation, input }: FakeCall): FakeAnswer {
    switch (operation) {
      case 'DescribeStacks':
        return [STACK, undefined].includes(input['StackName'] as string | undefined)
          ? { body: xml(outputs) }
          : xmlError(400, 'ValidationError', `Stack with id ${String(input['StackName'])} does not exist`)
      case 'GetSecretValue':
        return { body: { VersionId: state.secret.id, SecretString: state.secret.text } }
      case 'PutSecretValue': {
        const id = `version-${pending.size + 2}`
        pending.set(id, String(input['SecretString']))
        return { body: { VersionId: id } }
      }
      case 'UpdateSecretVersionStage': {
        if (input['RemoveFromVersionId'] !== state.secret.id)
          return refusal('InvalidParameterException', 'The staging label is attached to another version.')
        const id = String(input['MoveToVersionId'])
        state.secret = { id, text: pending.get(id) ?? '' }
        return { body: {} }
      }
      case 'Invoke':
        return { body: { probes: [] } }
      case 'FilterLogEvents':
        return { body: { events: [] } }
      default:
        return refusal('UnknownOperationException', operation)
    }
  }

  const server = createServer(async (request, response) => {
    const call = await callOf(request)
    calls.push(call)
    const { status = 200, body, headers = {} } = (answers.get(call.operation) ?? (() => usual(call)))()
    const isXml = typeof body === 'string'
    const type = isXml ? 'text/xml' : 'application/x-amz-json-1.1'
    response.writeHead(status, { ...headers, 'content-type': type }).end(isXml ? body : JSON.stringify(body))
  })
  const port = await listenOnLoopback(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    calls,
    answers,
    get secret() {
      return state.secret
    },
    set secret(value) {
      state.secret = value
    },
    callsOf: operation => calls.filter(call => call.operation === operation),
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
