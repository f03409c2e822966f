import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnCommand } from '../operate/run-command.ts'

export type StartedGateway = AsyncDisposable & { readonly url: string; readonly pid: number }

/** The gateway as `npm start` runs it, with a configuration of its own. Its log goes nowhere. */
export async function startNpmStart(configuration: object): Promise<StartedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'backstop-bench-'))
  const config = join(folder, 'gateway.json')
  await writeFile(config, JSON.stringify(configuration))
  const child = spawnCommand('infra/local/start.ts', ['--json', '--port', '0', '--config', config])
  child.stdout?.resume()
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the gateway did not start: ${said}`)))
    child.stderr?.on('data', text => {
      said += String(text)
      const found = /listens on (\S+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
