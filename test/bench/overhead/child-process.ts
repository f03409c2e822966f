import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type Usage = { cpuUs: number; rssBytes: number }

/** A process of the benchmark, which ends with it. */
export type Child = AsyncDisposable & {
  process: ChildProcess
  /** What it has used since it began. */
  usage(): Promise<Usage>
}

const CONTROL = new URL('./children/control.ts', import.meta.url).href

/** What a child tells: its first word that has this field. Rejects where the child tells an error, or ends. */
export async function told<Value>(child: ChildProcess, field: string): Promise<Value> {
  const over = new AbortController()
  try {
    return await Promise.race([
      (async () => {
        for (;;) {
          const [message] = await once(child, 'message', { signal: over.signal })
          if ('error' in message) throw new Error(message.error)
          if (field in message) return message[field]
        }
      })(),
      once(child, 'exit', { signal: over.signal }).then(([code]) => {
        throw new Error(`A process of the benchmark has ended (${code}).`)
      }),
    ])
  } finally {
    over.abort()
  }
}

/** Starts a script in a process of its own, with what measures it from within. */
export function startChild(
  script: string | URL,
  args: readonly string[] = [],
  variables: Record<string, string> = {},
): Child {
  const child = fork(typeof script === 'string' ? script : fileURLToPath(script), args, {
    env: { PATH: '', ...variables },
    execArgv: ['--import', CONTROL],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return {
    process: child,
    usage() {
      child.send('usage')
      return told<Usage>(child, 'usage')
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
