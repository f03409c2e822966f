import { parseArgs } from 'node:util'
import { type Terminal, askGateway } from '../views/ask-gateway.ts'
import { ASKED_SURFACES, isAskedSurface } from '../views/ask-surfaces.ts'
import { CommandError, describeError } from '../../terminal/command-error.ts'
import { findGateway } from '../fleet/find-gateway.ts'
import { FLEET_OPTIONS, FLEET_USAGE } from '../fleet/fleet-options.ts'
import { paintFor } from '../../terminal/paint.ts'

const USAGE = `Usage: npm run ask -- "question" [--model ALIAS] [--surface chat|responses|messages] [--stack NAME | --url URL]

${FLEET_USAGE}`
const INTERRUPTED = 130

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
// A reader that has left, as `| head` does, wants no more.
process.stdout.on('error', () => interrupted.abort())

const terminal: Terminal = {
  out: text => process.stdout.write(text),
  error: text => process.stderr.write(text),
  paint: paintFor(process.stdout),
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      model: { type: 'string' },
      surface: { type: 'string', default: 'chat' },
      ...FLEET_OPTIONS,
      help: { type: 'boolean', short: 'h' },
    },
  })
  const text = positionals.join(' ').trim()
  if (values.help || text === '') {
    terminal.error(`${USAGE}\n`)
    return values.help ? 0 : 1
  }
  const { surface: name, model } = values
  if (!isAskedSurface(name)) {
    throw new CommandError(`There is no surface "${name}". Choose chat, responses or messages.`)
  }
  const address = await findGateway(values)
  const surface = ASKED_SURFACES[name]
  return askGateway(address, { text, model, surface, signal: interrupted.signal }, terminal)
}

try {
  process.exitCode = await main()
} catch (error) {
  if (interrupted.signal.aborted) {
    terminal.out('\n')
    process.exitCode = INTERRUPTED
  } else {
    terminal.error(`${describeError(error)}\n`)
    process.exitCode = 1
  }
}
