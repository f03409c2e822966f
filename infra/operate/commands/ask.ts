import { type Terminal, askGateway } from '../views/ask-gateway.ts'
import { ASKED_SURFACES, isAskedSurface } from '../views/ask-surfaces.ts'
import { CommandError, describeError } from '../../terminal/command-error.ts'
import { findGateway } from '../fleet/find-gateway.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { columnsOf, usageOf } from '../../terminal/command-usage.ts'
import { readCommandLine } from '../command-line.ts'
import { paintFor } from '../../terminal/paint.ts'

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
  const { values, positionals, help, misuse } = readCommandLine(COMMANDS.ask)
  if (help) {
    terminal.out(`${usageOf(COMMANDS.ask, columnsOf(process.stdout))}\n`)
    return 0
  }
  const text = positionals.join(' ').trim()
  if (text === '') throw misuse('Ask a question, in quotes.')
  const { surface: name = 'chat', model } = values
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
