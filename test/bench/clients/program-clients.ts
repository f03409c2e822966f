import { type Agent, AGENTS } from '../../agents/agents.ts'
import { type AgentRun, findAgent, runAgent } from '../../agents/run-agent.ts'
import { installedVersion, type MeasuredClient } from './sdk-clients.ts'

type Task = Omit<AgentRun, 'program'>

/** A client that still asks after this long is ended. */
const LONGEST_MS = 120_000

/** What keeps a program from asking again, as its page writes it and as it is set. */
const SETTINGS: Readonly<Record<string, { text: string; set: (task: Task) => Task }>> = {
  [AGENTS.codex.name]: {
    text: '`request_max_retries = 0`, `stream_max_retries = 0` under `[model_providers.backstop]`',
    set: task => ({
      ...task,
      files: {
        'config.toml': `${task.files?.['config.toml'] ?? ''}request_max_retries = 0\nstream_max_retries = 0\n`,
      },
    }),
  },
  [AGENTS.claudeCode.name]: {
    text: '`CLAUDE_CODE_MAX_RETRIES=0`',
    set: task => ({ ...task, env: home => ({ ...task.env(home), CLAUDE_CODE_MAX_RETRIES: '0' }) }),
  },
}

function measured(agent: Agent): readonly MeasuredClient[] {
  const program = findAgent(agent)
  if (program === null) return []
  const common = { name: agent.title, version: installedVersion(agent.name), isPatient: true }
  const runs = (set: (task: Task) => Task) => async (url: string) => {
    const { code } = await runAgent({ program, ...set(agent.run(url)), longestMs: LONGEST_MS })
    return code !== null
  }
  const setting = SETTINGS[agent.name]
  return [
    { ...common, setting: null, run: runs(task => task) },
    ...(setting ? [{ ...common, setting: setting.text, run: runs(setting.set) }] : []),
  ]
}

/** The programs that `npm run agents` has installed; looked for when they are asked for, because absences are told. */
export const programClients = (): readonly MeasuredClient[] => Object.values(AGENTS).flatMap(measured)
