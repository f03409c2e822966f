import { join } from 'node:path'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { commandOf, TASK } from './chat-rounds.ts'
import type { AgentRun } from './run-agent.ts'

export type Agent = {
  /** Its folder below `.backstop/agents/`, and the program in it. */
  name: string
  program: string
  /** For people. */
  title: string
  /** How it does its task against a gateway, without `/v1`; the alias is `house`, and no key is asked for. */
  run(url: string): Omit<AgentRun, 'program'>
  /** The tool by which it runs the command of a round. */
  tool: string
  inputOf(round: number): JsonObject
}

const described = (round: number): JsonObject => ({ command: commandOf(round), description: 'Writes a line' })

const codex: Agent = {
  name: 'codex',
  program: 'codex',
  title: 'Codex',
  run: url => ({
    args: home => ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', '-C', home, TASK],
    env: home => ({ CODEX_HOME: home, BACKSTOP_KEY: 'none' }),
    files: {
      'config.toml': `
model = "house"
model_provider = "backstop"

[model_providers.backstop]
name = "Backstop"
base_url = "${url}/v1"
env_key = "BACKSTOP_KEY"
wire_api = "responses"
`,
    },
  }),
  tool: 'exec_command',
  inputOf: round => ({ cmd: commandOf(round) }),
}

const claudeCode: Agent = {
  name: 'claude-code',
  program: 'claude',
  title: 'Claude Code',
  run: url => ({
    args: () => ['-p', '--dangerously-skip-permissions', TASK],
    env: () => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'none',
      ANTHROPIC_MODEL: 'house',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Without it the program refuses to skip permissions for the superuser, who runs tests in containers.
      IS_SANDBOX: '1',
    }),
  }),
  tool: 'Bash',
  inputOf: described,
}

const opencode: Agent = {
  name: 'opencode',
  program: 'opencode',
  title: 'opencode',
  run: url => ({
    args: () => ['run', TASK],
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    files: {
      'opencode.json': JSON.stringify({
        provider: {
          backstop: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'none' },
            models: { house: {} },
          },
        },
        model: 'backstop/house',
        small_model: 'backstop/house',
        permission: { bash: 'allow' },
        share: 'disabled',
      }),
    },
  }),
  tool: 'bash',
  inputOf: described,
}

const qwenCode: Agent = {
  name: 'qwen-code',
  program: 'qwen',
  title: 'qwen-code',
  run: url => ({
    args: () => ['--yolo', '--auth-type', 'openai', '-p', TASK],
    env: () => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'house' }),
    files: {
      '.qwen/settings.json': JSON.stringify({
        model: { generationConfig: { customHeaders: { 'x-backstop-session': '${session_id}' } } },
        outboundCorrelation: { allowDynamicHeaderValues: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
  }),
  tool: 'run_shell_command',
  inputOf: round => ({ ...described(round), is_background: false }),
}

const continueCli: Agent = {
  name: 'continue',
  program: 'cn',
  title: 'Continue',
  run: url => ({
    args: home => ['--config', join(home, 'config.yaml'), '--auto', '-p', TASK],
    env: home => ({ CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_GLOBAL_DIR: join(home, '.continue') }),
    files: {
      'config.yaml': `
name: Backstop
version: 1.0.0
schema: v1
models:
  - name: Backstop
    provider: openai
    model: house
    apiBase: ${url}/v1
    apiKey: none
    roles: [chat, edit, apply]
    capabilities: [tool_use]
    requestOptions:
      headers:
        x-backstop-session: session-of-a-test
`,
    },
  }),
  tool: 'Bash',
  inputOf: round => ({ command: commandOf(round) }),
}

const cline: Agent = {
  name: 'cline',
  program: 'cline',
  title: 'Cline',
  run: url => ({
    args: home => ['--data-dir', join(home, 'data'), '-P', 'openai-compatible', '-m', 'house', TASK],
    env: () => ({ DO_NOT_TRACK: '1' }),
    files: {
      'data/settings/providers.json': JSON.stringify({
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: { provider: 'openai-compatible', apiKey: 'none', model: 'house', baseUrl: `${url}/v1` },
            updatedAt: '2026-01-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      }),
    },
  }),
  tool: 'run_commands',
  inputOf: round => ({ commands: [commandOf(round)] }),
}

export const AGENTS = { codex, claudeCode, opencode, qwenCode, continueCli, cline }
