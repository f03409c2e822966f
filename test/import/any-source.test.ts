import fc from 'fast-check'
import { expect, test } from 'vitest'
import { problemsOf } from '../config/problems-of.ts'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { formatJson } from '../../infra/import/format-json.ts'
import { importSource } from '../../infra/import/import-source.ts'
import { keyLines, keyValues } from '../../infra/import/key-values.ts'
import { noteLines } from '../../infra/import/note-lines.ts'
import type { SourceName } from '../../infra/import/recognise-source.ts'
import { CommandError } from '../../infra/terminal/command-error.ts'

/** Stands in every place where a secret may stand. */
const SECRET = 'sk-hunter2hunter2hunter2'

const names = fc.constantFrom(
  'gpt-4o',
  'chat',
  'e',
  '*',
  'openai/*',
  '__proto__',
  ' x ',
  'a\nb',
  'constructor',
)
const models = fc.constantFrom(
  'gpt-4o',
  'openai/m',
  'azure/d',
  'azure/d2',
  'wandb/a/b',
  '1x/a/b',
  'groq/l',
  'ollama/l',
  'hosted_vllm/l',
  'together_ai/a/b',
  'bedrock/a*',
  'bedrock/eu-west-1/x',
  'vertex_ai/x',
  'openai/*',
  'openai/',
  'nobody/m',
  'text-embedding-3-small',
  'gemini/x y',
  '/',
)
const places = fc.constantFrom(
  'https://a.openai.azure.com',
  'https://b.openai.azure.com/',
  'https://apim.example/x',
  'https://a.openai.azure.com/openai/deployments/e%20f/chat/completions?api-version=1',
  'https://apim.example/openai/deployments/e/chat/completions?api-version=1',
  'https://1x.example',
  'http://gpu:11434',
  'gpu:8000',
  'http://127.0.0.1:8000/v1',
  'https://api.groq.com/openai/v1',
  'https://u:p@h.example',
  'os.environ/UNSET',
  'ftp://x',
  'https://llm.example/v1?key=x',
  'https://l-l-m.example/v1',
  'http://100.1.2.3',
  '',
)
const keys = fc.constantFrom(
  SECRET,
  `${SECRET}-2`,
  'os.environ/OPENAI_API_KEY',
  'os.environ/A_B_KEY',
  'os.environ/A-B_KEY',
  'os.environ/API_KEY_1',
  '{{ .Values.key }}',
  'none',
  '',
)
const numbers = fc.oneof(fc.double(), fc.integer(), fc.constantFrom('60', '1e400', Number.NaN, null, true))
const anything = fc.jsonValue({ maxDepth: 2 })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const deployment = fc.record(
  {
    model_name: fc.oneof({ weight: 9, arbitrary: names }, anything),
    litellm_params: fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record(
          {
            model: fc.oneof({ weight: 9, arbitrary: models }, anything),
            api_base: maybe(places),
            api_key: maybe(keys),
            api_version: maybe(fc.constantFrom('2024-10-21', 'os.environ/UNSET')),
            ...Object.fromEntries(
              [
                'rpm',
                'tpm',
                'weight',
                'order',
                'timeout',
                'stream_timeout',
                'max_parallel_requests',
                'input_cost_per_token',
                'output_cost_per_token',
              ].map(name => [name, maybe(numbers)]),
            ),
            extra_headers: maybe(fc.constant({ 'X-A': 'a', Authorization: SECRET, 'X-B': SECRET })),
            extra_body: maybe(
              fc.oneof(anything, fc.constant({ api_key: SECRET, a: { token: SECRET }, b: [SECRET] })),
            ),
            temperature: maybe(anything),
            max_tokens: maybe(numbers),
            frobnicate: maybe(fc.constant(SECRET)),
          },
          { requiredKeys: [] },
        ),
      },
      anything,
    ),
    model_info: maybe(
      fc.record({
        mode: maybe(fc.constantFrom('chat', 'embedding', 'rerank')),
        max_input_tokens: maybe(numbers),
        x: maybe(anything),
      }),
    ),
  },
  { requiredKeys: [] },
)

const fallbacks = maybe(fc.oneof(anything, fc.array(fc.dictionary(names, fc.array(names)))))
const litellm = fc.record({
  model_list: fc.array(fc.oneof({ weight: 9, arbitrary: deployment }, anything), { maxLength: 8 }),
  router_settings: maybe(
    fc.record({
      routing_strategy: maybe(fc.constantFrom('simple-shuffle', 'least-busy', 'x')),
      num_retries: maybe(numbers),
      max_fallbacks: maybe(numbers),
      timeout: maybe(numbers),
      fallbacks,
      context_window_fallbacks: fallbacks,
      model_group_alias: maybe(fc.oneof(anything, fc.dictionary(names, names))),
    }),
  ),
  litellm_settings: maybe(
    fc.record({ default_fallbacks: maybe(fc.array(names)), cache_params: fc.constant({ password: SECRET }) }),
  ),
  general_settings: maybe(fc.record({ master_key: maybe(keys), database_url: fc.constant(SECRET) })),
})

const { target } = fc.letrec(tie => ({
  target: fc.record(
    {
      strategy: maybe(
        fc.record({
          mode: fc.constantFrom('fallback', 'loadbalance', 'single', 'conditional', 'x'),
          default: maybe(names),
        }),
      ),
      targets: maybe(
        fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('target'), { maxLength: 3 })),
      ),
      name: maybe(names),
      provider: maybe(fc.constantFrom('openai', 'azure-openai', 'ollama', 'vertex-ai', '@openai-x', 'x')),
      virtual_key: maybe(fc.constantFrom('openai-a', 'groq-b', 'x')),
      api_key: maybe(keys),
      custom_host: maybe(places),
      azure_resource_name: maybe(names),
      azure_deployment_id: maybe(names),
      weight: maybe(numbers),
      request_timeout: maybe(numbers),
      retry: maybe(fc.record({ attempts: numbers })),
      override_params: maybe(
        fc.record({
          model: maybe(models),
          temperature: maybe(numbers),
          password: maybe(fc.constant(SECRET)),
        }),
      ),
    },
    { requiredKeys: [] },
  ),
}))

const openrouter = fc.record(
  {
    model: maybe(fc.oneof(models, anything)),
    models: maybe(fc.oneof(fc.array(models), anything)),
    provider: maybe(anything),
    api_key: maybe(fc.constant(SECRET)),
  },
  { requiredKeys: [] },
)

const sources: readonly [SourceName, fc.Arbitrary<unknown>][] = [
  ['litellm', litellm],
  ['portkey', target],
  ['openrouter', openrouter],
]

test.each(sources)(
  'what is written of any configuration of %s is valid, and neither it nor the list holds a key',
  (source, documents) => {
    let written = 0
    fc.assert(
      fc.property(documents, document => {
        try {
          const {
            config,
            keys: needed,
            notes,
          } = importSource(source, document, { variables: { A_B_KEY: SECRET }, model: undefined })
          written += 1
          // As it is read again from its file.
          const copy: unknown = JSON.parse(formatJson(config as JsonObject))
          expect(problemsOf(copy)).toEqual([])
          const shown = [...noteLines(notes), ...keyLines(keyValues(needed, { A_B_KEY: SECRET }))]
          expect([JSON.stringify(config), ...shown].join('\n')).not.toContain('hunter2')
        } catch (error) {
          if (!(error instanceof CommandError) || !error.message.startsWith('Nothing was imported'))
            throw error
          expect(error.message).not.toContain('hunter2')
        }
      }),
      { numRuns: 400 },
    )
    expect(written).toBeGreaterThan(20)
  },
)
