import { readWhole } from '../core/answers/read-whole.ts'
import { createStreamReader } from '../core/answers/stream-reader.ts'
import { fitRequest } from '../providers/fit-request.ts'
import type { Wire } from './wire.ts'

/** OpenAI's chat API, as every provider in the catalogue speaks it. */
export const chatCompletions: Wire = {
  path: '/chat/completions',
  headers: {},
  fit: fitRequest,
  isError: ({ event }) => event === 'error',
  readStream: createStreamReader,
  readWhole,
}
