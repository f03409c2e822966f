import { expect, test } from 'vitest'
import { completeWords } from '../../../infra/operate/completion/complete-words.ts'
import { COMMAND_ROWS } from '../../../infra/terminal/command-table.ts'

const KNOWN = {
  model: ['gpt-4o', 'house'],
  endpoint: ['groq/llama-3.1-8b-instant', 'openrouter/deepseek/deepseek-chat:free'],
  provider: ['groq', 'openrouter'],
  setting: ['breaker_open_ms=', 'retry_max_attempts='],
}

/** The last word is the one that is begun. */
const complete = (...words: string[]) => completeWords(words, COMMAND_ROWS, KNOWN)

test.each([
  ['a command', ['npm', 'run', 'rel'], ['release']],
  ['a command behind options of npm', ['npm', 'run', '--silent', 'wh'], ['why']],
  ['the dashes that npm needs first', ['npm', 'run', 'why', ''], ['--']],
  ['an option', ['npm', 'run', 'why', '--', '--fa'], ['--failed']],
  ['no option twice', ['npm', 'run', 'why', '--', '--failed', '--fa'], []],
  ['a model', ['npm', 'run', 'ask', '--', '--model', 'g'], ['gpt-4o']],
  ['a model behind a word', ['npm', 'run', '--silent', 'ask', '--', 'Hi', '--model', ''], KNOWN.model],
  ['an endpoint', ['npm', 'run', 'release', '--', 'open'], ['openrouter/deepseek/deepseek-chat:free']],
  ['a provider', ['npm', 'run', 'release', '--', '--provider', 'g'], ['groq']],
  ['a setting', ['npm', 'run', 'set', '--', 'retry'], ['retry_max_attempts=']],
  ['one of a few words', ['npm', 'run', 'usage', '--', '--by', 'm'], ['model']],
  ['nothing for a value of one’s own', ['npm', 'run', 'quarantine', '--', '--reason', 'g'], []],
  ['the start', ['npm', 'start', '--', '--po'], ['--port']],
  ['nothing for what npm does itself', ['npm', 'install', 'r'], []],
  ['nothing for a command that is not there', ['npm', 'run', 'nothing', '--', ''], []],
  ['a command of the package', ['backstop', 'sta'], ['start', 'status']],
  ['an option of the package', ['backstop', 'status', '--w'], ['--watch']],
  ['nothing where nothing stands', [], []],
] as const)('%s', (_, words, expected) => {
  expect(complete(...words)).toEqual({ words: expected, files: false })
})

test('a file is the business of the shell', () => {
  expect(complete('npm', 'start', '--', '--config', 'gate')).toEqual({ words: [], files: true })
  expect(complete('npm', 'run', 'import', '--', '')).toEqual({ words: [], files: true })
})
