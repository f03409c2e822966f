import type { CodeRule } from './code-rule.ts'
import { verdict } from '../verdict.ts'

/** https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md: a missing capability is a 500. */
export const LLAMA_CPP_CODES: readonly CodeRule[] = [
  { codes: ['unavailable_error'], says: /loading model/i, gives: verdict('loading') },
  { codes: ['exceed_context_size_error'], gives: verdict('context_length') },
  { says: /--jinja/, gives: verdict('unsupported_tools') },
  { says: /mmproj/, gives: verdict('unsupported_modality') },
]

/** https://lmstudio.ai/docs/developer: errors are strings, and a wrong path is answered with 200. */
export const LM_STUDIO_CODES: readonly CodeRule[] = [
  { says: /^No models? loaded/i, gives: verdict('model_unavailable', { scope: 'endpoint' }) },
  { says: /^Unexpected endpoint or method/i, gives: verdict('model_not_found', { scope: 'endpoint' }) },
  { says: /model has crashed|Exit code:/i, gives: verdict('server_error', { scope: 'model' }) },
  { says: /insufficient system resources/i, gives: verdict('overloaded') },
  { says: /^Failed to load model/i, gives: verdict('model_unavailable') },
  { says: /^Model (?:is )?(?:unloaded|reloaded|loading)/i, gives: verdict('loading') },
]
