import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Agent } from './agents.ts'

const ROOT = new URL('../..', import.meta.url).pathname

/**
 * The program of an agent that `npm run agents` installs; null where it is not there, which is said, because the tests
 * that want it are skipped.
 */
export function findAgent({ name, program }: Pick<Agent, 'name' | 'program'>): string | null {
  const path = join(ROOT, '.backstop/agents', name, 'node_modules/.bin', program)
  if (existsSync(path)) return path
  process.stderr.write(`${name} is not installed, so its tests are skipped: npm run agents ${name}\n`)
  return null
}

/** The same for the title of the tests. */
export const titleOf = ({ title }: Pick<Agent, 'title'>, program: string | null): string =>
  program === null ? `${title} (not installed)` : title

export type AgentRun = {
  program: string | null
  /** `home` is the folder in which it works, and the user's own. */
  args: (home: string) => readonly string[]
  env: (home: string) => Readonly<Record<string, string>>
  /** Written into that folder before. */
  files?: Readonly<Record<string, string>>
  /** Bounds what hangs, not what is slow. */
  longestMs?: number
}

export type AgentReport = {
  /** Null where it had to be ended. */
  code: number | null
  stdout: string
  stderr: string
  /** What its commands have written. */
  rounds: string
}

const LONGEST_RUN_MS = 100_000

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended, with all that it started.
  }
}

/** Runs an agent on one task in a folder of its own; neither files nor processes of it are left. */
export async function runAgent({
  program,
  args,
  env,
  files = {},
  longestMs = LONGEST_RUN_MS,
}: AgentRun): Promise<AgentReport> {
  if (program === null) throw new Error('the agent is not installed')
  // Some refuse to work below a temporary folder.
  const home = await mkdtemp(join(homedir(), '.backstop-agent-'))
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(join(home, path), content)
    }
    const paths = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
    const child = spawn(program, args(home), {
      cwd: home,
      env: { PATH: paths, HOME: home, TERM: 'dumb', NO_COLOR: '1', ...env(home) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const limit = setTimeout(() => endGroup(child.pid), longestMs)
    const [[code], stdout, stderr] = await Promise.all([
      once(child, 'close') as Promise<[number | null]>,
      text(child.stdout),
      text(child.stderr),
    ]).finally(() => {
      clearTimeout(limit)
      endGroup(child.pid)
    })
    const rounds = await readFile(join(home, 'rounds.txt'), 'utf8').catch(() => '')
    return { code, stdout, stderr, rounds }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}
