import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closedPort } from '../support/upstreams/closed-port.ts'

/** What comes instead of an answer; `well` = the answer. */
export type Mode =
  | 'well'
  | 'slow'
  | 'stalled'
  | 'trickling'
  | 'cut'
  | 'throttled'
  | 'over capacity'
  | 'internal error'
  | 'access denied'
  | 'no table'
  | 'not JSON'
  | 'JSON of another shape'
  | 'empty'
  | 'a web page'

export type MisbehavingDynamo = {
  endpoint: string
  mode: Mode
  /** What the next requests get, one each, before `mode` holds again. */
  next: Mode[]
  /** Operations in the order in which they arrived. */
  arrived: string[]
  /** Nothing listens any more, or again. */
  refuse(): Promise<void>
  accept(): Promise<void>
  close(): Promise<void>
}

const SLOW_MS = 2_000
const TRICKLE_MS = 100
const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' }

type Fault = { status: number; type: string }
const FAULTS: Partial<Record<Mode, Fault>> = {
  throttled: { status: 400, type: 'com.amazon.coral.availability#ThrottlingException' },
  'over capacity': {
    status: 400,
    type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  },
  'internal error': { status: 500, type: 'com.amazonaws.dynamodb.v20120810#InternalServerError' },
  'access denied': { status: 400, type: 'com.amazon.coral.service#AccessDeniedException' },
  'no table': { status: 400, type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException' },
}
const ODD_BODIES: Partial<Record<Mode, string>> = {
  'not JSON': '{"Items": [',
  'JSON of another shape': '{"Items":7,"Item":7,"Attributes":7,"Responses":7}',
  empty: '',
}

/** What every operation may be answered with: nothing is found, everything is done. */
const GOOD = '{"Items":[],"Count":0,"Attributes":{},"Responses":{}}'

function trickle(response: ServerResponse): void {
  const padded = GOOD.padEnd(60, ' ')
  response.writeHead(200, { ...JSON_TYPE, 'content-length': padded.length })
  let sent = 0
  const timer = setInterval(() => {
    response.write(padded[sent] ?? '')
    sent += 1
    if (sent === padded.length) response.end()
  }, TRICKLE_MS)
  response.on('close', () => clearInterval(timer))
}

function answerAs(mode: Mode, response: ServerResponse): void {
  const fault = FAULTS[mode]
  const odd = ODD_BODIES[mode]
  if (fault) response.writeHead(fault.status, JSON_TYPE).end(JSON.stringify({ __type: fault.type }))
  else if (odd !== undefined) response.writeHead(200, JSON_TYPE).end(odd)
  else if (mode === 'cut') response.destroy()
  else if (mode === 'trickling') trickle(response)
  else if (mode === 'stalled') {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': GOOD.length }).write(GOOD.slice(0, 5))
  } else if (mode === 'a web page') {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
  } else {
    const timer = setTimeout(
      () => response.writeHead(200, JSON_TYPE).end(GOOD),
      mode === 'slow' ? SLOW_MS : 0,
    )
    response.on('close', () => clearTimeout(timer))
  }
}

const stop = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

async function serve(listener: RequestListener, port: number): Promise<Server> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** A server that speaks DynamoDB when it is well, and counts what it is asked. */
export async function startMisbehavingDynamo(): Promise<MisbehavingDynamo> {
  const listener: RequestListener = async (request: IncomingMessage, response) => {
    dynamo.arrived.push(String(request.headers['x-amz-target']).split('.')[1] ?? '')
    await buffer(request)
    answerAs(dynamo.next.shift() ?? dynamo.mode, response)
  }
  // A port that nobody else is given while nothing listens on it.
  const port = await closedPort()
  let server = await serve(listener, port)
  const dynamo: MisbehavingDynamo = {
    endpoint: `http://127.0.0.1:${port}`,
    mode: 'well',
    next: [],
    arrived: [],
    refuse: () => stop(server),
    async accept() {
      server = await serve(listener, port)
    },
    close: () => stop(server),
  }
  return dynamo
}
