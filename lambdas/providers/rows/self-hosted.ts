import { verdict } from '../../core/failures/verdict.ts'
import type { RowSource } from '../provider-row.ts'
import {
  CONTEXT,
  LOADING,
  LOCAL,
  MAX_TOKENS,
  MESSAGES,
  MODEL_DOWN,
  MODEL_FAULT,
  OVERLOADED,
  RESPONSES,
  STATEFUL_RESPONSES,
  WRONG_PATH,
} from './presets.ts'

const SELF_HOSTED = { ...LOCAL, traits: { selfHosted: true } } satisfies RowSource

/** Servers that people run themselves: one process on one host. */
export const SELF_HOSTED_SERVERS = {
  ollama: {
    ...SELF_HOSTED,
    baseUrl: 'http://127.0.0.1:11434/v1',
    quirks: MAX_TOKENS,
    wires: { responses: RESPONSES, messages: MESSAGES },
  },

  vllm: {
    ...SELF_HOSTED,
    baseUrl: 'http://127.0.0.1:8000/v1',
    wires: { responses: RESPONSES, messages: { ...MESSAGES, countsTokens: true } },
  },

  'llama.cpp': {
    ...SELF_HOSTED,
    baseUrl: 'http://127.0.0.1:8080/v1',
    quirks: MAX_TOKENS,
    wires: { responses: RESPONSES, messages: { ...MESSAGES, countsTokens: true } },
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md: a missing capability is a 500.
    codes: [
      { codes: ['unavailable_error'], says: /loading model/i, gives: LOADING },
      { codes: ['exceed_context_size_error'], gives: CONTEXT },
      { says: /--jinja/, gives: verdict('unsupported_tools') },
      { says: /mmproj/, gives: verdict('unsupported_modality') },
    ],
  },

  lmstudio: {
    ...SELF_HOSTED,
    baseUrl: 'http://127.0.0.1:1234/v1',
    quirks: MAX_TOKENS,
    wires: { responses: STATEFUL_RESPONSES, messages: MESSAGES },
    // https://lmstudio.ai/docs/developer: errors are strings, and a wrong path is answered with 200.
    codes: [
      { says: /^No models? loaded/i, gives: verdict('model_unavailable', { scope: 'endpoint' }) },
      { says: /^Unexpected endpoint or method/i, gives: WRONG_PATH },
      { says: /model has (?:unloaded or )?crashed|Exit code:/i, gives: MODEL_FAULT },
      { says: /insufficient system resources/i, gives: OVERLOADED },
      { says: /^Failed to load model/i, gives: MODEL_DOWN },
      { says: /^Model (?:is )?(?:unloaded|reloaded|loading)/i, gives: LOADING },
    ],
  },
} satisfies Record<string, RowSource>
