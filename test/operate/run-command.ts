import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)

/** What a command left behind. */
export type Outcome = { code: number | null; stdout: string; stderr: string }

/** Starts one of the commands as npm would, without the caller's keys and colours. */
export function spawnCommand(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess {
  const { PATH = '' } = process.env
  return spawn(process.execPath, [fileURLToPath(new URL(file, ROOT)), ...args], {
    // Away from the checkout, whose .env is its owner's.
    cwd: tmpdir(),
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs a command to its end. */
export async function runCommand(file: string, args: readonly string[], env = {}): Promise<Outcome> {
  const child = spawnCommand(file, args, env)
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
  if (!child.stdout || !child.stderr) throw new Error('the command has no output')
  const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}
