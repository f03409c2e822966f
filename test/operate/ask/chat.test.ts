import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { Turn } from '../../../infra/operate/ask/ask-surfaces.ts'
import { chat } from '../../../infra/operate/ask/chat.ts'
import { plain } from '../../../infra/terminal/paint.ts'

/** Plays a chat whose lines are given, and whose questions are answered by `reply`. */
async function play(
  lines: readonly string[],
  reply: (question: string) => string | Error = text => `re: ${text}`,
) {
  const input = new PassThrough()
  input.end(lines.map(line => `${line}\n`).join(''))
  const asked: { model: string; turns: Turn[] }[] = []
  let written = ''
  const out = (text: string): void => void (written += text)
  const code = await chat({
    input,
    output: new PassThrough(),
    terminal: { out, error: out, paint: plain },
    model: 'one',
    first: '',
    async ask(turns, model) {
      asked.push({ model, turns: structuredClone([...turns]) })
      const text = reply(turns.at(-1)?.content ?? '')
      if (text instanceof Error) throw text
      return { failed: false, text, requestId: `request-${asked.length}` }
    },
    why: async id => [`because of ${id}`],
  })
  return { code, asked, written }
}

const said = (turns: readonly Turn[]): string[] => turns.map(({ role, content }) => `${role}: ${content}`)

test('each question brings the conversation so far', async () => {
  const { code, asked } = await play(['a', '', 'b'])
  expect(code).toBe(0)
  expect(asked.map(({ turns }) => said(turns))).toEqual([
    ['user: a'],
    ['user: a', 'assistant: re: a', 'user: b'],
  ])
})

test('a question without an answer is forgotten, and told by the exit code', async () => {
  const { code, asked, written } = await play(['a', 'b'], text =>
    text === 'a' ? new Error('no gateway') : 'yes',
  )
  expect([code, written]).toEqual([1, 'no gateway\n'])
  expect(said(asked[1]?.turns ?? [])).toEqual(['user: b'])
})

test('its commands change the model, explain, help and end it', async () => {
  const { asked, written } = await play(['/why', 'a', '/model two', 'b', '/why', '/wat', '/quit', 'c'])
  expect(asked.map(({ model }) => model)).toEqual(['one', 'two'])
  expect(written).toMatch(
    /^Nothing was answered yet\.\n[^\n]*goes to two[^\n]*\nbecause of request-2\n\/model NAME [^\n]*\n$/,
  )
})
