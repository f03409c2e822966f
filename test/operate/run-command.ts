import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../..', import.meta.url)

/** What a command left behind. */
export type Outcome = { code: number | null; stdout: string; stderr: string }

/** What comes in on stdin, and the folder that it runs in. */
export type CommandInput = { stdin?: string; cwd?: string }

/** Starts one of the commands as npm would, without the caller's keys and colours. */
export function spawnCommand(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
  // Away from the checkout, whose .env is its owner's.
  { stdin, cwd = tmpdir() }: CommandInput = {},
): ChildProcess {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, ROOT)), ...args], {
    cwd,
    env: { PATH, ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(stdin)
  return child
}

/** Runs a command to its end. */
export async function runCommand(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input: CommandInput = {},
): Promise<Outcome> {
  const child = spawnCommand(file, args, env, input)
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
  if (!child.stdout || !child.stderr) throw new Error('the command has no output')
  const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}
