import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { describeError } from '../../terminal/command-error.ts'
import type { Answered, Terminal } from './ask-gateway.ts'
import type { Turn } from './ask-surfaces.ts'

export type Chat = {
  input: Readable & { isTTY?: boolean }
  output: Writable
  terminal: Terminal
  model: string
  /** Asked before anything is typed; empty = nothing. */
  first: string
  ask(turns: readonly Turn[], model: string, signal: AbortSignal): Promise<Answered>
  why(requestId: string): Promise<readonly string[]>
}

const HELP =
  '/model NAME  ask another model; /why  explain the last answer; /quit  end the chat (so does Ctrl-D)'

/**
 * Keeps a conversation until its input ends. Ctrl-C ends an answer, whose beginning is kept; between answers, twice
 * ends the chat. Resolves with the exit code: 1 where something went wrong and nobody was there to see it.
 */
export async function chat(options: Chat): Promise<number> {
  const { input, output, terminal, first } = options
  const isTerminal = input.isTTY === true
  const { out, error, paint } = terminal
  const turns: Turn[] = []
  let [model, requestId, failures] = [options.model, null as string | null, 0]
  let answering: AbortController | null = null
  let isWarned = false
  const reader = createInterface({ input, ...(isTerminal && { output }), terminal: isTerminal })
  const interrupt = (): void => {
    if (answering) return answering.abort()
    if (isWarned) return reader.close()
    isWarned = true
    out(`\n${paint('dim', 'Ctrl-C again ends the chat.')}\n`)
    if (isTerminal) reader.prompt()
  }
  reader.on('SIGINT', interrupt)
  process.on('SIGINT', interrupt)

  async function say(text: string): Promise<void> {
    answering = new AbortController()
    const { signal } = answering
    turns.push({ role: 'user', content: text })
    try {
      const answer = await options.ask(turns, model, signal)
      requestId = answer.requestId
      if (answer.failed) failures += 1
      // A question without an answer would stand beside the next one.
      if (answer.text === '') turns.pop()
      else turns.push({ role: 'assistant', content: answer.text })
    } catch (problem) {
      turns.pop()
      if (signal.aborted) return
      failures += 1
      error(`${describeError(problem)}\n`)
    } finally {
      answering = null
    }
  }

  async function obey(line: string): Promise<void> {
    const [word = '', name = ''] = line.split(/\s+/)
    if (word === '/model' && name !== '') {
      model = name
      out(`${paint('dim', `The next question goes to ${name}; it gets the conversation so far.`)}\n`)
    } else if (word === '/why' && requestId === null) out('Nothing was answered yet.\n')
    else if (word === '/why' && requestId !== null)
      await options.why(requestId).then(
        lines => out(`${lines.join('\n')}\n`),
        (problem: unknown) => error(`${describeError(problem)}\n`),
      )
    else out(`${HELP}\n`)
  }

  try {
    if (isTerminal) out(`${paint('dim', HELP)}\n`)
    if (first !== '') await say(first)
    reader.setPrompt(`${model}> `)
    if (isTerminal) reader.prompt()
    for await (const typed of reader) {
      isWarned = false
      const line = typed.trim()
      // A pipe has brought all lines at once.
      if (line === '/quit') break
      if (line.startsWith('/')) await obey(line)
      else if (line !== '') await say(line)
      reader.setPrompt(`${model}> `)
      if (isTerminal) reader.prompt()
    }
  } finally {
    process.off('SIGINT', interrupt)
    reader.close()
  }
  return failures > 0 && !isTerminal ? 1 : 0
}
