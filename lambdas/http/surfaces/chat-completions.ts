import { presentChunk } from '../../core/answers/present-chunk.ts'
import type { JsonObject } from '../../core/json.ts'
import { DONE_EVENT, formatEvent } from '../../sse/format-event.ts'
import { decodeBody } from '../decode-body.ts'
import { openAiError, openAiErrorReply } from '../replies/openai-error.ts'
import { jsonReply, jsonTextReply } from '../replies/reply.ts'
import { readChatRequest } from './read-chat-request.ts'
import type { Surface } from './surface.ts'
import { withoutSlips } from './without-slips.ts'

/** OpenAI's chat API: the one that everything inside speaks too, so that there is little to translate. */
export const chatCompletions: Surface = {
  path: '/v1/chat/completions',
  async parse(event, caller) {
    const body = withoutSlips(await decodeBody(event))
    return readChatRequest({ event, caller, native: body, body })
  },
  whole: ({ text, completion }) => (text === null ? jsonReply(200, completion) : jsonTextReply(text)),
  open({ request: { includeUsage }, served }) {
    const { model } = served.endpoint
    const present = (json: JsonObject): JsonObject | null => presentChunk(json, { includeUsage, model })
    let like: JsonObject | null = null
    return {
      part(part) {
        const { text } = part
        // What is known of a chunk holds for each that repeats it.
        if (part.like && part.like !== like) like = present(part.like) === part.like ? part.like : null
        if (like && part.like === like && text !== null) return formatEvent(text)
        const { json } = part
        const shown = present(json)
        if (!shown) return ''
        return formatEvent(shown === json && text !== null ? text : JSON.stringify(shown))
      },
      cut: (error, attempts) => formatEvent(JSON.stringify(openAiError(error, attempts))),
      end: () => DONE_EVENT,
    }
  },
  error: openAiErrorReply,
}
