import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { closedPort } from '../upstreams/closed-port.ts'

/** Amazon's own DynamoDB on this machine. */
export type DynamoDbLocal = {
  endpoint: string
  /** Stops the whole process: connections open, and nothing answers. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

const FOLDER = fileURLToPath(new URL('../../../.backstop/dynamodb-local', import.meta.url))
const POLL_MS = 50

const hasJava = (): boolean => spawnSync('java', ['-version']).status === 0
const hasJar = (): boolean => existsSync(`${FOLDER}/DynamoDBLocal.jar`)

/**
 * What keeps DynamoDB Local from running here, with what to do about it; null = nothing. On CI a missing jar is no
 * excuse: the start fails, and with it the tests.
 */
export function missingForDynamoDbLocal(): string | null {
  if (!hasJava()) return 'java (17 or newer) is missing; install it, then: npm run dynamodb-local'
  if (!hasJar() && process.env['CI'] !== 'true')
    return 'its jar is missing; get it with: npm run dynamodb-local'
  return null
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Starts it with an empty memory; it takes a second or two. */
export async function startDynamoDbLocal(): Promise<DynamoDbLocal> {
  if (!hasJar()) throw new Error('DynamoDB Local is not installed: npm run dynamodb-local')
  // It cannot be told to pick a free port itself.
  const port = await closedPort()
  const options = ['-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port)]
  const server = spawn(
    'java',
    ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar', ...options],
    { cwd: FOLDER, stdio: 'ignore' },
  )
  const kill = (): void => void server.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(server, 'exit')
  while (!(await accepts(port))) {
    if (server.exitCode !== null) throw new Error(`DynamoDB Local ended with ${server.exitCode} as it began.`)
    await sleep(POLL_MS)
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    async close() {
      process.off('exit', kill)
      kill()
      await ended
    },
  }
}
