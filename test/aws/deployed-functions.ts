import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { ListFunctionsCommand } from '@aws-sdk/client-lambda'
import { requestEvent } from '../../infra/local/request-event.ts'
import { bundlesOf } from '../runtime/cloud.ts'
import { httpAnswer } from '../runtime/http-answer.ts'
import { startInstance, type LambdaInstance } from '../runtime/lambda-instance.ts'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'
import { type AwsClients, REGION } from './aws-clients.ts'

const INVOKED = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/

/** An account as clients of AWS see it: the emulator, with functions that run. */
export type AccountServer = {
  /** For `AWS_ENDPOINT_URL`. */
  endpoint: string
  /** The Function URL of the gateway. */
  url: string
  /** Takes the bundles of a configuration for the functions of the stack that has these outputs. */
  deploy(configuration: unknown, outputs: Readonly<Record<string, string>>): Promise<void>
  /** Writes what the gateway has logged since the last time to its log group; returns all structured lines so far. */
  shipLog(): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

/** Stands before an emulator that runs no functions: invocations reach the bundles, everything else the emulator. */
export async function startAccountServer(moto: string, clients: AwsClients): Promise<AccountServer> {
  const functions = new Map<string, { folder: string; variables: Record<string, string> }>()
  const instances = new Map<string, Promise<LambdaInstance>>()
  let gatewayName = ''
  let logGroup = ''
  let shipped = 0

  const account = createServer(async (request, response) => {
    const body = await buffer(request)
    const [, name = ''] = INVOKED.exec(request.url ?? '') ?? []
    const instance = await instanceOf(decodeURIComponent(name))
    if (instance) {
      const { kind, chunks } = await instance.api.invoke(JSON.parse(body.toString()))
      response.writeHead(200, kind === 'failed' ? { 'x-amz-function-error': 'Unhandled' } : {})
      return void response.end(Buffer.concat(chunks.map(({ bytes }) => bytes)))
    }
    const answer = await fetch(moto + (request.url ?? '/'), {
      method: request.method ?? 'POST',
      headers: forwarded(request),
      ...(body.length > 0 && { body }),
    })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })

  const functionUrl = createServer(async (request, response) => {
    const event = requestEvent(request, await buffer(request), { requestId: randomUUID(), now: Date.now() })
    const gateway = await instanceOf(gatewayName)
    if (!gateway) return void response.writeHead(502).end()
    const { status, headers, body } = httpAnswer(await gateway.api.invoke(event))
    response.writeHead(status, headers).end(body)
  })

  const [port, urlPort] = await Promise.all([listenOnLoopback(account), listenOnLoopback(functionUrl)])
  const endpoint = `http://127.0.0.1:${port}`

  /** As the platform does, when it is first called: what was changed before is known to it. */
  async function instanceOf(functionName: string): Promise<LambdaInstance | null> {
    const known = instances.get(functionName)
    const deployed = functions.get(functionName)
    if (known || !deployed) return known ?? null
    const started = startInstance(deployed.folder, {
      ...deployed.variables,
      AWS_REGION: REGION,
      AWS_ENDPOINT_URL: endpoint,
    })
    instances.set(functionName, started)
    return started
  }

  return {
    endpoint,
    url: `http://127.0.0.1:${urlPort}/`,
    async deploy(configuration, outputs) {
      const bundles = bundlesOf(configuration)
      logGroup = outputs['LogGroupName'] ?? ''
      await clients.logs.send(new CreateLogStreamCommand({ logGroupName: logGroup, logStreamName: 'one' }))
      const { Functions = [] } = await clients.lambda.send(new ListFunctionsCommand())
      for (const { FunctionName = '', Environment } of Functions) {
        const [, name] = /-(Gateway|Probe)Handler/.exec(FunctionName) ?? []
        if (name !== 'Gateway' && name !== 'Probe') continue
        functions.set(FunctionName, {
          folder: bundles.get(name) ?? '',
          variables: Environment?.Variables ?? {},
        })
        if (name === 'Gateway') gatewayName = FunctionName
      }
    },
    async shipLog() {
      const lines = (await instances.get(gatewayName))?.logged() ?? []
      const events = lines
        .slice(shipped)
        .map(line => ({ timestamp: Date.now(), message: JSON.stringify(line) }))
      shipped = lines.length
      if (events.length > 0)
        await clients.logs.send(
          new PutLogEventsCommand({ logGroupName: logGroup, logStreamName: 'one', logEvents: events }),
        )
      return lines
    },
    async close() {
      for (const instance of instances.values()) await (await instance).close()
      for (const server of [account, functionUrl]) {
        const closed = new Promise(resolve => server.close(resolve))
        server.closeAllConnections()
        await closed
      }
    },
  }
}

function forwarded({ headers }: IncomingMessage): Headers {
  const {
    host: _host,
    connection: _connection,
    'content-length': _length,
    expect: _expect,
    ...rest
  } = headers
  return new Headers(Object.entries(rest).map(([name, value]) => [name, String(value)]))
}
