import { Session } from 'node:inspector/promises'
import { createLocalLog } from '../../infra/local/local-log.ts'
import { createRequestMemory } from '../../infra/local/request-memory.ts'
import { startLocalGateway } from '../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { readAnswer } from '../support/ask.ts'
import { chatStream, tokens } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'

// Prints, as JSON, the files of lambdas/ of which a function runs while one streamed request is served. A process of
// its own, because the engine counts for all that runs in one.
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await using upstream = await startUpstream([chatStream(tokens(3))])
const memory = createRequestMemory()
const writeLine = createLocalLog({ memory, json: false, write: () => {} })
const completed = Promise.withResolvers<void>()
const gateway = await startLocalGateway({
  config: parseGatewayConfig({
    providers: { one: { baseUrl: upstream.url, key: false } },
    models: { chat: { tiers: [['one/m']] } },
  }),
  variables: {},
  port: 0,
  memory,
  log(line) {
    writeLine(line)
    if (line.event === 'request-completed') completed.resolve()
  },
  onHandlerError(error) {
    throw error
  },
})
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
const body = JSON.stringify({ model: 'chat', stream: true, messages: [{ role: 'user', content: 'Hello?' }] })
const headers = { 'content-type': 'application/json' }
await readAnswer(await fetch(`${gateway.facts.url}/v1/chat/completions`, { method: 'POST', headers, body }))
// The line is written last, behind the last byte.
await completed.promise
const { result } = await session.post('Profiler.takePreciseCoverage')
const entered = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
process.stdout.write(
  JSON.stringify(entered.flatMap(({ url }) => /\/lambdas\/(.*\.ts)$/.exec(url)?.slice(1) ?? [])),
)
await gateway.close(10_000)
