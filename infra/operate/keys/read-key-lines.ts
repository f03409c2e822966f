import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from '../../terminal/command-error.ts'

type Input = NodeJS.ReadableStream & { isTTY?: boolean }

const USABLE = /^[\x21-\x7e]+$/

/** Reads what is typed without showing it: a key on a screen is a key in a recording. */
async function readLines(input: Input, prompt: () => void): Promise<string[]> {
  const isTerminal = input.isTTY === true
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input, output: nowhere, terminal: isTerminal })
  if (isTerminal) prompt()
  let left = false
  reader.once('SIGINT', () => {
    left = true
    reader.close()
  })
  const lines: string[] = []
  for await (const line of reader) {
    // People end with an empty line; a file may hold some.
    if (isTerminal && line.trim() === '') break
    lines.push(line.trim())
  }
  reader.close()
  // Whoever leaves in the middle wants nothing of what came before.
  return left ? [] : lines
}

/** Keys from a terminal or a pipe, one a line, each once. Throws where there is none, or one could not be sent. */
export async function readKeyLines(input: Input, prompt: () => void): Promise<string[]> {
  const lines = await readLines(input, prompt)
  const keys = lines.filter(line => line !== '')
  if (keys.length === 0)
    throw new CommandError('Nothing was changed: no key on stdin. Pass one key per line.')
  const bad = lines.findIndex(line => line !== '' && !USABLE.test(line))
  if (bad >= 0)
    throw new CommandError(
      `Nothing was changed: line ${bad + 1} is not a key. Expected printable characters without spaces.`,
    )
  return [...new Set(keys)]
}
