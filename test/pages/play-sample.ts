import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startupBanner } from '../../infra/local/startup-banner.ts'
import type { LocalGateway } from '../../infra/local/start-local-gateway.ts'
import { plain } from '../../infra/terminal/paint.ts'
import { readFromRoot } from './page.ts'
import type { Sample } from './sample.ts'
import { shownOutput } from './shown-output.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE_URL = 'http://127.0.0.1:4141'

const { scripts } = JSON.parse(readFromRoot('package.json')) as { scripts: Record<string, string> }

/** `npm run` without npm: the script of that name runs in an empty folder, whose `.env` is nobody's. */
const NPM = [
  'npm() {',
  '  [ "$1" = run ] && shift; [ "$1" = --silent ] && shift',
  '  local name="$1"; shift; [ "$1" = -- ] && shift',
  '  case "$name" in',
  `    start) if [ $# = 0 ]; then printf '%s' "$BANNER"; else node "$ROOT/infra/local/start.ts" "$@"; fi ;;`,
  ...Object.entries(scripts).flatMap(([name, script]) =>
    name !== 'start' && /^node \S+\.ts$/.test(script)
      ? [`    ${name}) node "$ROOT/${script.slice('node '.length)}" "$@" ;;`]
      : [],
  ),
  '    *) echo "no script $name that can be played" >&2; return 1 ;;',
  '  esac',
  '}',
].join('\n')

/** Where and when a sample is played. */
export type Stage = {
  gateway: LocalGateway
  /** An empty folder, whose `.env` is nobody's. */
  folder: string
  /** The gateway's clock; commands are given the same, or they would see cooldowns end on a slow machine. */
  now: number
}

/** Runs a command of a page against this gateway; stdout and stderr as the page shows them. */
export async function playSample({ language, command }: Sample, { gateway, folder, now }: Stage) {
  const { url } = gateway.facts
  const code = command.replaceAll(PAGE_URL, url)
  const script = `${NPM}\nset -o pipefail\n${code.replaceAll(/\bcurl /g, 'curl --silent --show-error ')}`
  const [program, args] =
    language === 'js'
      ? [process.execPath, ['--input-type=module', '-']]
      : ['bash', ['--noprofile', '--norc', '-c', script]]
  const child = spawn(program, args, {
    // Modules are found from the checkout.
    cwd: language === 'js' ? ROOT : folder,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      ROOT,
      BACKSTOP_URL: url,
      BANNER: startupBanner(gateway.facts, plain),
      NODE_OPTIONS: `--import=data:text/javascript,Date.now=()=>${now}`,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(language === 'js' ? code : undefined)
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
  const [status, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
  return { status, output: shownOutput(stdout + stderr, url) }
}
