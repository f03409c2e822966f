import type { EndpointRow } from '../../lambdas/engine/memory/describe-fleet.ts'
import type { ModelView } from '../../lambdas/core/routing/view/model-view.ts'
import { endpointRow } from '../support/endpoint-row.ts'
import { hopRow, modelRow } from '../support/model-row.ts'

export const NOW = 1_773_342_238_000
const MINUTE = 60_000

/** One model that answers from its second tier, and one that does not. */
export const SAMPLE_MODELS: readonly ModelView[] = [
  modelRow('gpt-4o', [
    hopRow('openai/gpt-4o', { reason: 'cooldown', cause: 'rate_limit', until: NOW + 41_000 }),
    hopRow('groq/llama-3.1-8b-instant', { tier: 2 }),
  ]),
  modelRow('small', [
    hopRow('ollama/llama3.2', {
      reason: 'quarantined',
      health: 'quarantined',
      cause: 'network',
      next_probe_at: NOW + 30_000,
    }),
  ]),
]

/** A fleet in which everything happens at once. */
export const SAMPLE_ROWS: readonly EndpointRow[] = [
  endpointRow({ endpoint: 'openai/gpt-4o', successes: 12_841, failures: 38 }),
  endpointRow({
    endpoint: 'openrouter/deepseek/deepseek-chat:free',
    health: 'quarantined',
    since: NOW - 3.2 * 60 * MINUTE,
    next_probe_at: NOW + 9 * MINUTE,
    last_failure: {
      kind: 'model_not_found',
      status: 404,
      message:
        'No endpoints found for deepseek/deepseek-chat:free. It was retired on 1 March; use deepseek-chat-v3.',
      at: NOW - 4 * MINUTE,
    },
    successes: 210,
    failures: 97,
  }),
  endpointRow({
    endpoint: 'groq/llama-3.1-8b-instant',
    cooldowns: [{ scope: 'key', key: '1a2b3c4d', reason: 'rate_limit', until: NOW + 41_000 }],
    successes: 3_120,
    failures: 164,
  }),
  endpointRow({
    endpoint: 'office/llama-3.3-70b',
    health: 'suspect',
    since: NOW - 70_000,
    next_probe_at: NOW - 1,
    last_failure: { kind: 'tls', status: null, message: 'certificate has expired', at: NOW - 70_000 },
    successes: 88,
    failures: 9,
  }),
  endpointRow({
    endpoint: 'together/meta-llama/Llama-3.3-70B-Instruct-Turbo',
    breaker: 'open',
    trial_at: NOW + 22_000,
    cooldowns: [
      { scope: 'model', key: null, reason: 'overloaded', until: NOW + 8 * MINUTE },
      { scope: 'bench', key: null, reason: 'server_error', until: NOW + 55_000 },
    ],
    successes: 640,
    failures: 71,
  }),
  endpointRow({
    endpoint: 'cerebras/llama-3.3-70b',
    breaker: 'half-open',
    trial_at: NOW,
    refuses: [
      { what: 'tools', until: NOW + MINUTE },
      { what: 'droppable', name: 'store', until: NOW + MINUTE },
    ],
    successes: 41,
  }),
  endpointRow({ endpoint: 'bedrock/openai.gpt-oss-20b-1:0' }),
]
