import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startChild, told, type Child } from './child-process.ts'
import type { Row } from './rows.ts'

/** What is measured, under the name that tables give it. */
export type Contestant = {
  name: string
  url: string
  process: Child
  /** What its requests need beside their body; null = it does not serve this row. */
  headersFor(row: Row): Record<string, string> | null
}

/** Where `test/bench/peers.md` installs the other gateway. */
const PEER = fileURLToPath(
  new URL('../../../.backstop/peer/node_modules/@portkey-ai/gateway/build/start-server.js', import.meta.url),
)
const START = new URL('../../../infra/local/start.ts', import.meta.url)
const child = (name: string): URL => new URL(`./children/${name}.ts`, import.meta.url)
const STARTS_WITHIN_MS = 30_000

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}

async function listening(url: string): Promise<void> {
  for (const until = Date.now() + STARTS_WITHIN_MS; Date.now() < until; await sleep(50)) {
    const answer = await fetch(url).catch(() => null)
    await answer?.body?.cancel()
    if (answer) return
  }
  throw new Error(`Nothing listens at ${url}.`)
}

const configOf = (upstream: string) => ({
  providers: {
    plain: { baseUrl: `${upstream}/v1`, key: false },
    // An endpoint with a limit of its own is never asked plainly.
    streamed: { baseUrl: `${upstream}/v1`, key: false, firstOutputTimeoutMs: 10_000 },
    native: { baseUrl: `${upstream}/v1`, key: false, wires: { responses: {}, messages: {} } },
  },
  models: {
    plain60: { tiers: [['plain/m60']] },
    plain2000: { tiers: [['plain/m2000']] },
    streamed60: { tiers: [['streamed/m60']] },
    native60: { tiers: [['native/m60']] },
    vectors1: { kind: 'embeddings', tiers: [['plain/m1']] },
  },
})

/** The upstream, and everything that stands before it: each in a process of its own, which ends with the stack. */
export async function startContestants(stack: AsyncDisposableStack): Promise<readonly Contestant[]> {
  const folder = await mkdtemp(join(tmpdir(), 'backstop-overhead-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const start = async (
    name: string,
    args: readonly string[] = [],
  ): Promise<{ process: Child; url: string }> => {
    const started = stack.use(startChild(child(name), args))
    return { process: started, url: await told<string>(started.process, 'ready') }
  }
  const upstream = await start('upstream')
  const bare = await start('bare-proxy', [upstream.url])
  const table = await start('table')
  const config = join(folder, 'gateway.json')
  await writeFile(config, JSON.stringify(configOf(upstream.url)))
  const port = await freePort()
  const ours = stack.use(
    startChild(START, ['--config', config, '--port', String(port)], {
      AWS_ENDPOINT_URL_DYNAMODB: table.url,
    }),
  )
  const url = `http://127.0.0.1:${port}`
  await listening(`${url}/healthz`)
  const nothing = (): Record<string, string> => ({})
  return [
    { name: 'direct', ...upstream, headersFor: nothing },
    { name: 'bare proxy', ...bare, headersFor: nothing },
    { name: 'Backstop', url, process: ours, headersFor: nothing },
    ...(existsSync(PEER) ? [await startPeer(stack, upstream.url)] : []),
  ]
}

async function startPeer(stack: AsyncDisposableStack, upstream: string): Promise<Contestant> {
  const port = await freePort()
  const process = stack.use(startChild(PEER, ['--headless', `--port=${port}`], { NODE_ENV: 'production' }))
  const url = `http://127.0.0.1:${port}`
  await listening(url)
  return {
    name: 'peer',
    url,
    process,
    headersFor: ({ peer }) =>
      peer === null
        ? null
        : {
            'x-portkey-provider': peer,
            'x-portkey-custom-host': `${upstream}/v1`,
            authorization: 'Bearer none',
            'anthropic-version': '2023-06-01',
          },
  }
}
