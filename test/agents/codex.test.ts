import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { nativeEvents, nativeStream } from '../gateway/responses/native-bodies.ts'
import { chatChunk, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { streamOf } from '../support/tool-calls.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'

const PROGRAM = process.env['CODEX'] ?? 'node_modules/.bin/codex'
const isInstalled = (): boolean => {
  try {
    accessSync(PROGRAM)
    return true
  } catch {
    return false
  }
}

const command = (round: number): string => JSON.stringify({ cmd: `echo round${round} >> rounds.txt` })
const name = 'exec_command'

/** A round that runs a command, over the chat API and over the Responses API. */
const chatRound = (round: number): UpstreamAnswer =>
  streamOf([
    chatChunk({
      tool_calls: [
        { index: 0, id: `call_${round}`, type: 'function', function: { name, arguments: command(round) } },
      ],
    }),
    chatChunk({}, 'tool_calls'),
  ])

function nativeRound(round: number): UpstreamAnswer {
  const item: JsonObject = {
    type: 'function_call',
    id: `fc_${round}`,
    call_id: `call_${round}`,
    name,
    arguments: command(round),
    status: 'completed',
  }
  const events = [
    { type: 'response.created', response: { id: `resp_${round}` } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: `resp_${round}`, status: 'completed', output: [item] } },
  ]
  return nativeStream(events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
}

const ROUNDS = [1, 2, 3]
const CHAT = [...ROUNDS.map(chatRound), chatStream(['All done.'])]
const NATIVE = [...ROUNDS.map(nativeRound), nativeStream(nativeEvents(['All done.']))]
const LIMITED = errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' })
const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })
const CUT = nativeStream(nativeEvents(['x']).slice(0, 3), { end: 'reset' })
const FRAGMENT = chatStream(['Half an '], { finish: null })

/** Runs the program on one task, against these endpoints; nothing leaves the machine. */
async function runCodex(
  first: readonly UpstreamAnswer[],
  second: readonly UpstreamAnswer[],
  isNative: boolean,
) {
  const one = await startUpstream(first)
  const two = await startUpstream(second)
  const gateway = await startGateway({
    providers: {
      one: { baseUrl: one.url, key: false, ...(isNative ? { wires: { responses: {} } } : {}) },
      two: { baseUrl: two.url, key: false },
    },
    models: { house: { tiers: [['one/m'], ['two/m']] } },
    settings: { retry_max_attempts: 2 },
  })
  // The program refuses to work below a temporary folder.
  const home = await mkdtemp(join(homedir(), '.codex-test-'))
  const provider = `name = "Backstop"\nbase_url = "${gateway.url}/v1"\nenv_key = "BACKSTOP_KEY"\nwire_api = "responses"`
  await writeFile(
    join(home, 'config.toml'),
    `model = "house"\nmodel_provider = "backstop"\n[model_providers.backstop]\n${provider}\n`,
  )
  const child = spawn(
    PROGRAM,
    ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', '-C', home, 'Do three rounds.'],
    {
      env: { PATH: process.env['PATH'], HOME: home, CODEX_HOME: home, BACKSTOP_KEY: 'none' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [[code], said, told] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  const rounds = await readFile(join(home, 'rounds.txt'), 'utf8').catch(() => '')
  await gateway.settled()
  const { completed } = gateway
  await gateway.close()
  await one.close()
  await two.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
  return { code: code as number, said, told, rounds, completed, calls: [one.calls(), two.calls()] }
}

describe.skipIf(!isInstalled())('Codex finishes three rounds of tools', { timeout: 120_000 }, () => {
  it.each([
    ['through an endpoint of its own API', NATIVE, CHAT, true],
    ['through a chat endpoint', CHAT, CHAT, false],
    [
      'past an endpoint that is limited in round 3',
      [...NATIVE.slice(0, 2), LIMITED],
      [chatRound(3), chatStream(['All done.'])],
      true,
    ],
    ['past an endpoint that is overloaded in round 2', [nativeRound(1), OVERLOADED], CHAT.slice(1), true],
    ['past an endpoint that is cut before output', [CUT], CHAT, true],
  ] as const)('%s', async (_, first, second, isNative) => {
    const { code, said, rounds, told } = await runCodex(first, second, isNative)
    expect({ rounds, told }).toEqual({ rounds: 'round1\nround2\nround3\n', told })
    expect(said).toContain('All done.')
    expect(code).toBe(0)
  })
})

describe.skipIf(!isInstalled())('Codex', { timeout: 120_000 }, () => {
  it('takes a cut after output for an error, and never for an answer', async () => {
    const { code, completed, told } = await runCodex([FRAGMENT], [FRAGMENT], false)
    expect(code).not.toBe(0)
    expect(told).toMatch(/error/i)
    expect(completed.every(({ outcome }) => outcome === 'cut')).toBe(true)
  })

  it('stops early where nothing is available', async () => {
    const { code, completed } = await runCodex([OVERLOADED], [OVERLOADED], false)
    expect(code).not.toBe(0)
    // It would ask thirty times after a plain 503.
    expect(completed.length).toBeLessThanOrEqual(6)
  })
})
