import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** An emulator of an AWS account, on loopback. */
export type Moto = { readonly endpoint: string; close(): Promise<void> }

const PYTHON = 'python3'
const START_MS = 60_000

/** What keeps moto's server from running here, with what to do about it; null = nothing. */
export function missingForMoto(): string | null {
  const { status } = spawnSync(PYTHON, ['-c', 'import moto, flask'], { stdio: 'ignore' })
  return status === 0 ? null : "moto's server is missing; install it with: pip install 'moto[server]'"
}

/** Starts an account that holds nothing, and that knows no credentials to refuse. */
export async function startMoto(): Promise<Moto> {
  const child = spawn(PYTHON, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    env: { PATH: process.env['PATH'], PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  async function close(): Promise<void> {
    process.off('exit', kill)
    kill()
    await ended
  }
  let told = ''
  const endpoint = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`moto did not start: ${told}`)), START_MS)
    child.stderr.on('data', (part: Buffer) => {
      // Later it tells of every request.
      if (told.length < 10_000) told += part.toString()
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? []
      if (found === undefined) return
      clearTimeout(late)
      resolve(found)
    })
    child.once('exit', () => reject(new Error(`moto ended: ${told}`)))
  })
  return { endpoint, close }
}
