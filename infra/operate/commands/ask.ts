import { CommandError, describeError } from '../../terminal/command-error.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { columnsOf, usageOf } from '../../terminal/command-usage.ts'
import { paintFor } from '../../terminal/paint.ts'
import { readCommandLine } from '../command-line.ts'
import { findGateway } from '../fleet/find-gateway.ts'
import { explainById } from '../fleet/request-source.ts'
import { askGateway, firstAlias, type Terminal } from '../ask/ask-gateway.ts'
import { planLines } from '../ask/ask-plan.ts'
import { ASKED_SURFACES, isAskedSurface, type Turn } from '../ask/ask-surfaces.ts'
import { chat } from '../ask/chat.ts'
import { readPipedText } from '../ask/piped-text.ts'

const INTERRUPTED = 130

const interrupted = new AbortController()
const interrupt = (): void => interrupted.abort()
process.once('SIGINT', interrupt)
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
  const { surface: name = 'chat', system, 'dry-run': dryRun = false, interactive = false } = values
  if (!isAskedSurface(name))
    throw new CommandError(`There is no surface "${name}". Choose chat, responses or messages.`)
  if (interactive && dryRun) throw misuse('A dry run answers nothing: leave out -i or --dry-run.')
  const words = positionals.join(' ').trim()
  // A chat reads its questions from there.
  const piped = interactive || process.stdin.isTTY ? null : await readPipedText(process.stdin)
  const text = [words, piped ?? ''].filter(part => part !== '').join('\n\n')
  if (text === '' && !interactive) throw misuse('Ask a question in quotes, pipe one in, or chat with -i.')
  const address = await findGateway(values)
  const surface = ASKED_SURFACES[name]
  const signal = interrupted.signal
  const model = values.model ?? (await firstAlias(address, signal))
  const turns: Turn[] = [{ role: 'user', content: text }]
  const question = { turns, system, model, surface, signal }
  if (dryRun) {
    terminal.out(`${(await planLines(address, question, terminal.paint)).join('\n')}\n`)
    return 0
  }
  if (!interactive) {
    const { failed } = await askGateway(address, question, terminal)
    return signal.aborted ? INTERRUPTED : failed ? 1 : 0
  }
  process.off('SIGINT', interrupt)
  return chat({
    input: process.stdin,
    output: process.stdout,
    terminal,
    model,
    first: text,
    ask: (said, asked, ends) =>
      askGateway(address, { ...question, turns: said, model: asked, signal: ends }, terminal),
    why: requestId => explainById(values, requestId, terminal.paint),
  })
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
