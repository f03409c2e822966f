import { describe, expect, it } from 'vitest'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { AGENTS } from './agents.ts'
import { startChain } from './start-chain.ts'
import {
  CHAT_END,
  chatRound,
  FRAGMENT,
  LAST_WORDS,
  LIMITED,
  OVERLOADED,
  ROUNDS,
  WRITTEN,
} from './chat-rounds.ts'
import { callBlock, messageEvents, messageStream, textBlock } from './message-bodies.ts'
import { findAgent, runAgent, titleOf } from './run-agent.ts'

const { claudeCode } = AGENTS
const { tool, inputOf } = claudeCode
const program = findAgent(claudeCode)

const chat = (round: number): UpstreamAnswer => chatRound(tool, round, inputOf(round))
const native = (round: number): UpstreamAnswer =>
  messageStream(messageEvents([callBlock(`toolu_${round}`, tool, inputOf(round))], 'tool_use'))

const TEXT = messageEvents([textBlock(LAST_WORDS)], 'end_turn')
const CHAT = [...ROUNDS.map(chat), CHAT_END]
const NATIVE = [...ROUNDS.map(native), messageStream(TEXT)]
const CUT_BEFORE_OUTPUT = messageStream(TEXT.slice(0, 2), { end: 'reset' })
const CUT_AFTER_OUTPUT = messageStream(TEXT.slice(0, 3), { end: 'reset' })

/** Runs the program against these endpoints; nothing leaves the machine. */
async function runClaudeCode(
  first: readonly UpstreamAnswer[],
  second: readonly UpstreamAnswer[],
  isNative = true,
) {
  await using chain = await startChain(first, second, isNative ? { messages: {} } : {})
  const report = await runAgent({ program, ...claudeCode.run(chain.gateway.url) })
  return { ...report, ...(await chain.report()) }
}

describe.skipIf(program === null)(`${titleOf(claudeCode, program)} finishes three rounds of tools`, () => {
  it.each([
    ['through an endpoint of its own API', NATIVE, CHAT, true],
    ['through a chat endpoint', CHAT, CHAT, false],
    [
      'past an endpoint that is limited in round 3',
      [native(1), native(2), LIMITED],
      [chat(3), CHAT_END],
      true,
    ],
    ['past an endpoint that is overloaded in round 2', [native(1), OVERLOADED], CHAT.slice(1), true],
    ['past an endpoint that is cut before output', [CUT_BEFORE_OUTPUT], CHAT, true],
  ] as const)('%s', async (_, first, second, isNative) => {
    const { code, stdout, stderr, rounds } = await runClaudeCode(first, second, isNative)
    expect({ rounds, stderr }).toEqual({ rounds: WRITTEN, stderr })
    expect(stdout).toContain(LAST_WORDS)
    expect(code).toBe(0)
  })
})

describe.skipIf(program === null)(`${titleOf(claudeCode, program)}`, () => {
  it.each([
    ['a translated answer', [FRAGMENT], false],
    ['a native answer', [CUT_AFTER_OUTPUT], true],
  ] as const)('takes a cut of %s for an error, and never for an answer', async (_, answers, isNative) => {
    const { code, stdout, completed } = await runClaudeCode(answers, [FRAGMENT], isNative)
    expect(code).not.toBe(0)
    expect(stdout).toContain('API Error')
    expect(completed[0]?.outcome).toBe('cut')
    expect(completed.every(({ outcome }) => outcome !== 'answered')).toBe(true)
  })

  it('shows the whole answer for which it asks once more after a cut', async () => {
    const { code, stdout } = await runClaudeCode([FRAGMENT, chatStream(['Whole.'])], [FRAGMENT], false)
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'Whole.' })
  })

  it('asks once where nothing is available, and shows why', async () => {
    const { code, stdout, completed } = await runClaudeCode([OVERLOADED], [OVERLOADED], false)
    expect(code).not.toBe(0)
    expect(stdout).toContain("No endpoint of 'house' answered.")
    expect(completed).toHaveLength(1)
  })
})
