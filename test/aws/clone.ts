import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Outcome } from '../operate/run-command.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A clone of the repository with a configuration of its own, whose commands are called as people call them. */
export type Clone = {
  /** `npm run --silent NAME -- ARGS` */
  start(name: string, args: readonly string[], env: Record<string, string>, stdin?: string): ChildProcess
  run(name: string, args: readonly string[], env: Record<string, string>, stdin?: string): Promise<Outcome>
  close(): void
}

export function openClone(configuration: unknown): Clone {
  const folder = mkdtempSync(join(tmpdir(), 'backstop-clone-'))
  for (const name of ['infra', 'lambdas', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(
    join(folder, 'infra/gateway.config.ts'),
    `import { defineGateway } from '../lambdas/config/gateway-config.ts'\n\nexport default defineGateway(${JSON.stringify(configuration)})\n`,
  )
  const home = join(folder, 'home')
  const start: Clone['start'] = (name, args, env, stdin) => {
    const child = spawn('npm', ['run', '--silent', name, '--', ...args], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        AWS_EC2_METADATA_DISABLED: 'true',
        npm_config_update_notifier: 'false',
        npm_config_logs_max: '0',
        // Commands are many here, and most of what each takes is reading its own source.
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        ...env,
      },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    child.stdin?.end(stdin)
    return child
  }
  return {
    start,
    async run(name, args, env, stdin) {
      const child = start(name, args, env, stdin)
      const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
      if (!child.stdout || !child.stderr) throw new Error('the command has no output')
      const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
      return { code, stdout, stderr }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
