import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnCommand } from '../../operate/run-command.ts'
import { ask, type Answer } from '../../support/ask.ts'
import { startTableProxy } from './table-proxy.ts'

type Line = { event: string; [name: string]: unknown }

/** One gateway in a process of its own, which lives as a Lambda's does: stopped unless it serves a request. */
export type GatewayProcess = AsyncDisposable & {
  readonly url: string
  /** Structured lines so far. */
  readonly lines: readonly Line[]
  /** Stops and continues the whole process. */
  freeze(): void
  thaw(): void
  /** Closes its connections to the table from the other side. */
  hangUp(): void
  /** Continues, asks, lets it finish its writes, and stops again. One request at a time. */
  serve(body?: object): Promise<Answer>
  /** Ends it at once, as if its machine had gone. */
  kill(): Promise<void>
}

const QUIET_ROUNDS = 4
const ROUND_MS = 10

type Options = { config: string; dynamo: string; variables?: Record<string, string> }

/** Starts a gateway with the configuration of a file over the table at `dynamo`. */
export async function startGatewayProcess(options: Options): Promise<GatewayProcess> {
  const { config, dynamo, variables = {} } = options
  const proxy = await startTableProxy(dynamo)
  const child = spawnCommand('infra/local/start.ts', ['--json', '--port', '0', '--config', config], {
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    ...variables,
  })
  const exited = once(child, 'exit')
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', text => void (stdout += String(text)))
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', text => {
      stderr += String(text)
      const found = /listens on (\S+)/.exec(stderr)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', () => reject(new Error(`the gateway did not start: ${stderr}`)))
  })
  const freeze = (): void => void child.kill('SIGSTOP')
  const thaw = (): void => void child.kill('SIGCONT')
  /** Nothing tells that a handler has ended: its last write is over when it has had turns enough to begin another. */
  async function finish(): Promise<void> {
    for (let rounds = 0, before = -1; rounds < QUIET_ROUNDS; rounds += 1) {
      await sleep(ROUND_MS)
      await (await fetch(`${url}/local/table`)).text()
      if (!proxy.idle || proxy.asked !== before) rounds = 0
      before = proxy.asked
    }
  }
  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    await exited
    await proxy[Symbol.asyncDispose]()
  }
  return {
    url,
    freeze,
    thaw,
    hangUp: proxy.hangUp,
    get lines() {
      const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1).trim()
      return whole === '' ? [] : whole.split('\n').map(line => JSON.parse(line) as Line)
    },
    async serve(body) {
      thaw()
      const answer = await ask({ url }, body)
      await finish()
      freeze()
      return answer
    },
    kill,
    [Symbol.asyncDispose]: kill,
  }
}
