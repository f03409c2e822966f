import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { LAMBDA_RIC } from './lambda-ric.ts'
import { startRuntimeApi, type RuntimeApi } from './runtime-api.ts'

/** One instance of a function under Lambda's own runtime client. */
export type LambdaInstance = AsyncDisposable & {
  readonly api: RuntimeApi
  /** When its process was started (`performance.now()`). */
  readonly startedAt: number
  readonly pid: number
  /** The lines of its log that are JSON. */
  logged(): Record<string, unknown>[]
  /** Everything it wrote. */
  output(): string
  close(): Promise<void>
}

/**
 * How the platform starts Node where a function has 512 MB. Code that V8 has cached, such as Node's own in its binary,
 * is of no use under other flags than those that it was compiled with.
 */
const NODE_ARGUMENTS = [
  '--expose-gc',
  '--max-http-header-size=81920',
  '--max-semi-space-size=25',
  '--max-old-space-size=461',
]

const PLATFORM = {
  _HANDLER: 'index.handler',
  AWS_LAMBDA_FUNCTION_NAME: 'test',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_LAMBDA_LOG_GROUP_NAME: 'test',
  AWS_LAMBDA_LOG_STREAM_NAME: 'test',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
}

function parsed(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line) as Record<string, unknown>]
  } catch {
    return []
  }
}

/** Starts the bundle in a folder, with the environment that the platform gives, and these variables. */
export async function startInstance(
  folder: string,
  variables: Record<string, string> = {},
): Promise<LambdaInstance> {
  const api = await startRuntimeApi()
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, LAMBDA_RIC, PLATFORM._HANDLER], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ...PLATFORM,
      LAMBDA_TASK_ROOT: folder,
      AWS_LAMBDA_RUNTIME_API: api.address,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (output += part.toString()))
  const ended = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  async function close(): Promise<void> {
    process.off('exit', kill)
    kill()
    await ended
    await api.close()
  }
  return {
    api,
    startedAt,
    // Without one, spawning would have failed.
    pid: child.pid ?? 0,
    logged: () => output.split('\n').flatMap(parsed),
    output: () => output,
    close,
    [Symbol.asyncDispose]: close,
  }
}
