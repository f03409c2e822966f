import { describe, expect, it } from 'vitest'
import { AGENTS } from './agents.ts'
import { CHAT_END, chatRound, LAST_WORDS, OVERLOADED, ROUNDS, WRITTEN } from './chat-rounds.ts'
import { findAgent, runAgent, titleOf } from './run-agent.ts'
import { startChain } from './start-chain.ts'
import type { AnswerScript } from '../support/upstreams/answer-script.ts'

const { opencode, qwenCode, continueCli, cline } = AGENTS
/** Agents that speak the chat API; whether they name a session, by themselves or as they are configured here. */
const OTHERS = [
  [opencode, true],
  [qwenCode, true],
  [continueCli, true],
  [cline, false],
] as const

describe.each(OTHERS.map(([agent, namesSession]) => ({ agent, namesSession, program: findAgent(agent) })))(
  'an agent of the chat API',
  ({ agent, namesSession, program }) => {
    it.skipIf(program === null)(`${titleOf(agent, program)} finishes three rounds of tools`, async () => {
      /** What is asked beside the task, like a title, comes without tools. */
      const answer: AnswerScript = ({ body }) => {
        const results = Array.isArray(body.messages)
          ? body.messages.filter(message => JSON.stringify(message).includes('"role":"tool"')).length
          : 0
        const round = ROUNDS[results]
        return body.tools === undefined || round === undefined
          ? CHAT_END
          : chatRound(agent.tool, round, agent.inputOf(round))
      }
      await using chain = await startChain([OVERLOADED], answer)
      const { code, rounds, stdout, stderr } = await runAgent({ program, ...agent.run(chain.gateway.url) })
      expect({ rounds, stderr }).toEqual({ rounds: WRITTEN, stderr })
      expect(stdout).toContain(LAST_WORDS)
      expect(code).toBe(0)
      const { headers } = await chain.report()
      expect(headers.some(sent => sent['x-backstop-completed-tool-calls'] !== undefined)).toBe(namesSession)
    })
  },
)
