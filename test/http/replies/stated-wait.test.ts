import { describe, expect, it } from 'vitest'
import { statedWait } from '../../../lambdas/http/replies/stated-wait.ts'

const CODEX = 'codex_exec/0.171.0'
const AI_SDK = 'ai-sdk/openai/3.0.141 ai-sdk/provider-utils/4.0.23 runtime/node.js/24'
const OPENCODE = 'opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14'
const LANGCHAIN = 'langchainjs-openai/1.0.0 ((node/v24.21.0; linux; x64))'
const OTHER = 'OpenAI/JS 7.59.0'

describe('the wait that a client is told', () => {
  it.each([
    [OTHER, 'upstream_failed', 30_000, 30_000],
    [OTHER, 'rate_limit_exceeded', 60_000, 60_000],
    ['', 'no_endpoint_available', 2_000, 2_000],
    [AI_SDK, 'upstream_failed', 30_000, null],
    [AI_SDK, 'upstream_failed', 10_000, 10_000],
    [OPENCODE, 'rate_limit_exceeded', 60_000, null],
    [OPENCODE, 'rate_limit_exceeded', 5_000, 5_000],
    [LANGCHAIN, 'rate_limit_exceeded', 60_000, null],
    [LANGCHAIN, 'upstream_failed', 8_000, 8_000],
    [CODEX, 'no_endpoint_available', 2_000, null],
    [CODEX, 'rate_limit_exceeded', 9_000, 9_000],
    [CODEX, 'rate_limit_exceeded', 11_000, null],
    [AI_SDK, 'upstream_failed', null, null],
  ] as const)('%s, %s: %j ms', (userAgent, code, retryAfterMs, told) => {
    expect(statedWait({ code, retryAfterMs }, userAgent)).toBe(told)
  })
})
