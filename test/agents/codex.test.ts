import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { nativeEvents, nativeStream } from '../gateway/responses/native-bodies.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
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
import { findAgent, runAgent, titleOf } from './run-agent.ts'

const { codex } = AGENTS
const program = findAgent(codex)

const chat = (round: number): UpstreamAnswer => chatRound(codex.tool, round, codex.inputOf(round))

function native(round: number): UpstreamAnswer {
  const item: JsonObject = {
    type: 'function_call',
    id: `fc_${round}`,
    call_id: `call_${round}`,
    name: codex.tool,
    arguments: JSON.stringify(codex.inputOf(round)),
    status: 'completed',
  }
  const events = [
    { type: 'response.created', response: { id: `resp_${round}` } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: `resp_${round}`, status: 'completed', output: [item] } },
  ]
  return nativeStream(events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
}

const TEXT = nativeEvents([LAST_WORDS])
const CHAT = [...ROUNDS.map(chat), CHAT_END]
const NATIVE = [...ROUNDS.map(native), nativeStream(TEXT)]
const CUT_BEFORE_OUTPUT = nativeStream(TEXT.slice(0, 3), { end: 'reset' })
const CUT_AFTER_OUTPUT = nativeStream(TEXT.slice(0, 5), { end: 'reset' })

/** Runs the program against these endpoints; nothing leaves the machine. */
async function runCodex(
  first: readonly UpstreamAnswer[],
  second: readonly UpstreamAnswer[],
  isNative: boolean,
) {
  await using chain = await startChain(first, second, isNative ? { responses: {} } : {})
  const report = await runAgent({ program, ...codex.run(chain.gateway.url) })
  return { ...report, ...(await chain.report()) }
}

describe.skipIf(program === null)(`${titleOf(codex, program)} finishes three rounds of tools`, () => {
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
    const { code, stdout, stderr, rounds } = await runCodex(first, second, isNative)
    expect({ rounds, stderr }).toEqual({ rounds: WRITTEN, stderr })
    expect(stdout).toContain(LAST_WORDS)
    expect(code).toBe(0)
  })
})

describe.skipIf(program === null)(`${titleOf(codex, program)}`, () => {
  it.each([
    ['a translated answer', [FRAGMENT], false],
    ['a native answer', [CUT_AFTER_OUTPUT], true],
  ] as const)('takes a cut of %s for an error, and never for an answer', async (_, answers, isNative) => {
    const { code, stderr, completed } = await runCodex(answers, [FRAGMENT], isNative)
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/error/i)
    expect(completed[0]?.outcome).toBe('cut')
    expect(completed.every(({ outcome }) => outcome !== 'answered')).toBe(true)
  })

  it('stops early where nothing is available', async () => {
    const { code, completed } = await runCodex([OVERLOADED], [OVERLOADED], false)
    expect(code).not.toBe(0)
    // It would ask thirty times after a plain 503.
    expect(completed.length).toBeLessThanOrEqual(6)
  })
})
