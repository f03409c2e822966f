import type { JsonObject } from '../../lambdas/core/json.ts'
import { chatChunk, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { streamOf } from '../support/tool-calls.ts'
import type { HttpAnswer, UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'

/** What all agents of these tests are asked; what they do about it is in their upstream's script. */
export const TASK = 'Do three rounds.'
export const ROUNDS = [1, 2, 3] as const
export const LAST_WORDS = 'All done.'
/** What is left by three rounds, each of which ran once. */
export const WRITTEN = 'round1\nround2\nround3\n'

export const commandOf = (round: number): string => `echo round${round} >> rounds.txt`

/** A call of the agent's own tool, over the chat API. */
export const chatRound = (name: string, round: number, args: JsonObject): HttpAnswer =>
  streamOf([
    chatChunk({
      tool_calls: [
        {
          index: 0,
          id: `call_${round}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        },
      ],
    }),
    chatChunk({}, 'tool_calls'),
  ])

export const CHAT_END: UpstreamAnswer = chatStream([LAST_WORDS])
export const LIMITED = errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' })
export const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })
/** Cut in the middle of an answer that has begun. */
export const FRAGMENT = chatStream(['Half an '], { finish: null })
