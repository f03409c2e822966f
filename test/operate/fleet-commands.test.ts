import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import shippedConfig from '#gateway-config'
import { createRequestMemory } from '../../infra/local/request-memory.ts'
import { type LocalGateway, startLocalGateway } from '../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import type { EndpointRow } from '../../lambdas/engine/memory/describe-fleet.ts'
import { ask } from '../support/ask.ts'
import { createTurnedClock } from '../support/clocks/turned-clock.ts'
import { type Outcome, runCommand, spawnCommand } from './run-command.ts'

const clock = createTurnedClock()
let gateway: LocalGateway
beforeAll(async () => {
  gateway = await startLocalGateway({
    config: parseGatewayConfig(shippedConfig),
    variables: { RETRY_BASE_MS: '1', BACKSTOP_CLIENT_KEYS: 'client-key' },
    port: 0,
    memory: createRequestMemory(),
    log: () => {},
    onHandlerError: error => expect.fail(String(error)),
    pace: 0,
    clock,
  })
})
afterAll(() => gateway.close())

const environment = () => ({ BACKSTOP_URL: gateway.facts.url, BACKSTOP_CLIENT_KEY: 'client-key' })

const run = (command: string, ...args: string[]): Promise<Outcome> =>
  runCommand(`infra/operate/commands/${command}.ts`, args, environment())

const askFor = (model: string) => ask({ url: gateway.facts.url }, { model }, { 'x-api-key': 'client-key' })

async function rows(): Promise<EndpointRow[]> {
  const response = await fetch(`${gateway.facts.url}/v1/endpoints`, {
    headers: { 'x-api-key': 'client-key' },
  })
  return ((await response.json()) as { data: EndpointRow[] }).data
}

/** The rows, once nothing is left that the last request has to write. */
async function settledRows(): Promise<EndpointRow[]> {
  let [before, now] = [await rows(), await rows()]
  for (; !isDeepStrictEqual(before, now); now = await rows()) before = now
  return now
}

const GROQ = 'groq/llama-3.1-8b-instant'
const DEEPSEEK = 'openrouter/deepseek/deepseek-chat:free'

const rowOf = async (endpoint: string) => (await rows()).find(row => row.endpoint === endpoint)
const chainOf = async (model: string) => (await askFor(model)).headers.get('x-backstop-chain') ?? ''

describe('the story of an endpoint', () => {
  test('two failures make it suspect, and status says why', async () => {
    await askFor('gpt-4o')
    await askFor('gpt-4o')
    await expect.poll(() => rowOf(DEEPSEEK)).toMatchObject({ health: 'suspect', usable: true })
    const { code, stdout, stderr } = await run('status')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^All \d+ models answer\.\nFrom a lower tier: gpt-4o\.\n\ngpt-4o {2}answers from tier 3 /,
    )
    expect(stdout).toMatch(/^ {2}→ {2}3 groq\//m)
    expect(stdout).toMatch(/^! {2}openrouter\/deepseek\/deepseek-chat:free +suspect \d+ s/m)
    expect(stdout).toMatch(/^ {5}model_unavailable 404 \d+ s ago: No endpoints found for deepseek/m)
    expect(stdout).toMatch(/^! {2}openai\/gpt-4o +cooling down +back in \d+ s .*\n {5}rate_limit 429 /m)
    expect(Math.max(...stdout.split('\n').map(line => [...line].length))).toBeLessThanOrEqual(120)
  })

  test('status --explain tells in which order the endpoints of a model are called, and what is skipped', async () => {
    const { code, stdout, stderr } = await run('status', '--explain', 'gpt-4o')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^gpt-4o {2}strategy priority\n\n {2}1\. tier 3 {2}groq\//)
    expect(stdout).toMatch(/tier 2 {2}openrouter\/deepseek\/deepseek-chat:free {2}\(suspect\)\n/)
    expect(stdout).toMatch(
      /\nSkipped\n {2}tier 1 {2}openai\/gpt-4o: cooldown \(cooling down after rate_limit; until /,
    )
    const json = JSON.parse((await run('status', '--json', '--explain', 'gpt-4o')).stdout) as {
      model: string
    }
    expect(json.model).toBe('gpt-4o')
    const unknown = await run('status', '--explain', 'gpt-4p')
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("'gpt-4o'")])
  })

  test('failed probes send it to quarantine, with exit code 1', async () => {
    const early = await run('probe')
    expect(early.stdout).toMatch(/^No probe is due; the next one is in \d+ s\. Use --force /)
    expect(early.code).toBe(0)
    const named = await run('probe', DEEPSEEK)
    expect(named.stdout).toMatch(
      /^openrouter\/deepseek\S+ {2}model_unavailable {2}\d+ ms {2}No endpoints found/,
    )
    expect(named.code).toBe(1)
    const forced = await run('probe', '--force')
    expect([forced.code, forced.stdout.trim().split('\n')]).toEqual([1, [expect.stringContaining(DEEPSEEK)]])
    await expect.poll(() => rowOf(DEEPSEEK)).toMatchObject({ health: 'quarantined', usable: false })
  })

  test('a release lets it back in at once, without the evidence', async () => {
    const { code, stdout } = await run('release', DEEPSEEK)
    expect([code, stdout]).toEqual([0, `${DEEPSEEK}: quarantined → healthy\n`])
    await expect.poll(() => rowOf(DEEPSEEK)).toMatchObject({ health: 'healthy' })
    await expect.poll(() => chainOf('gpt-4o')).toContain(DEEPSEEK)
    await expect.poll(() => rowOf(DEEPSEEK)).toMatchObject({ health: 'healthy', failures: 3 })
  })

  test('a release lifts cooldowns too', async () => {
    // The one of an earlier test may end at any moment.
    const cooldowns = async () => {
      await chainOf('gpt-4o')
      return (await rowOf('openai/gpt-4o'))?.cooldowns
    }
    await expect.poll(cooldowns).toHaveLength(1)
    const { stdout } = await run('release', 'openai/gpt-4o')
    expect(stdout).toBe('openai/gpt-4o: already healthy; 1 cooldown cleared\n')
    await expect.poll(async () => (await rowOf('openai/gpt-4o'))?.cooldowns).toEqual([])
  })

  test('a quarantine by hand holds until the endpoint is probed by name', async () => {
    const { code, stdout } = await run('quarantine', GROQ, '--reason', 'bad answers')
    expect([code, stdout]).toEqual([
      0,
      `${GROQ}: healthy → quarantined by hand\n` +
        `It gets no requests until you release it: npm run release -- ${GROQ}\n`,
    ])
    expect((await run('quarantine', GROQ)).stdout).toBe(`${GROQ}: already quarantined by hand\n`)
    await expect
      .poll(async () => (await askFor('gpt-4o')).headers.get('x-backstop-skipped'))
      .toContain(`${GROQ};quarantined`)
    expect(await rowOf(GROQ)).toMatchObject({ by_hand: 'bad answers', next_probe_at: null })
    expect((await run('probe', '--force')).stdout).not.toContain(GROQ)
    const probed = await run('probe', GROQ)
    expect([probed.code, probed.stdout]).toEqual([0, expect.stringMatching(/^groq\/\S+ {2}ok {2}\d+ ms\n$/)])
    await expect.poll(() => rowOf(GROQ)).toMatchObject({ health: 'healthy' })
  })

  test('an endpoint may be named by its id', async () => {
    const id = (await rowOf(GROQ))?.id ?? ''
    expect(id).not.toBe(GROQ)
    expect((await run('release', id)).stdout).toBe(`${GROQ}: already healthy\n`)
    expect((await run('release', '--provider', 'groq')).stdout).toBe('groq: breaker already closed\n')
  })
})

test('status --json prints models, and the rows as they are', async () => {
  using _ = clock.stop()
  // Counts are written every ten seconds: with the first look what is due, and then none while the clock stands still.
  await expect
    .poll(async () => {
      const { code, stdout } = await run('status', '--json')
      const { models, data } = JSON.parse(stdout) as { models: unknown[]; data: unknown }
      return [code, models.length > 0, data] as const
    })
    .toEqual([0, true, await settledRows()])
})

describe('set', () => {
  test('is obeyed by the running gateway, listed, shown by status, and taken back', async () => {
    const direct = async () => (await askFor(GROQ)).status
    expect(await direct()).toBe(404)
    const listed =
      'Overrides in force\n  direct_models = true  instead of false\n  retry_base_ms = 5  instead of 1\n'
    expect(await run('set', 'direct_models=on', 'retry_base_ms=5')).toEqual({
      code: 0,
      stdout: listed,
      stderr: '',
    })
    await expect.poll(direct).toBe(200)
    const all = (await run('set')).stdout
    expect(all.endsWith(`\n\n${listed}`)).toBe(true)
    expect(all).toMatch(/^direct_models = true {2}override of false\n {4}clients may send/m)
    expect(Math.max(...all.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    expect((await run('status')).stdout.endsWith(`\n\n${listed}`)).toBe(true)
    expect((await run('set', 'direct_models=', 'retry_base_ms=')).stdout).toBe('No overrides are in force.\n')
    await expect.poll(direct).toBe(404)
  })

  test('sets all or nothing', async () => {
    const { code, stderr } = await run('set', 'retry_max_attempts=2', 'breaker_open_ms=1')
    expect([code, stderr]).toEqual([
      1,
      "Nothing was changed.\n  breaker_open_ms: expected a number from 1000 to 3600000, got '1'.\n",
    ])
    expect((await run('set')).stdout).toMatch(/\n\nNo overrides are in force\.\n$/)
  })
})

test('status --watch in a pipe shows each change, and ends with Ctrl-C', async () => {
  const child = spawnCommand('infra/operate/commands/status.ts', ['--watch'], environment())
  if (!child.stdout) throw new Error('the command has no output')
  let shown = ''
  child.stdout.on('data', (bytes: Buffer) => void (shown += bytes.toString()))
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
  await expect.poll(() => shown).toContain(GROQ)
  await run('quarantine', GROQ)
  await expect.poll(() => shown).toMatch(/^✗ {2}groq/m)
  child.kill('SIGINT')
  expect(await exit).toBe(0)
  expect(shown.match(/^(?:All \d+|\d+ of \d+) models? answer/gm)?.length).toBeGreaterThanOrEqual(2)
  await run('release', GROQ)
})

describe('a mistake', () => {
  test.each([
    [
      'release',
      ['groq/lama-3.1-8b-instant'],
      'No endpoint "groq/lama-3.1-8b-instant". Did you mean "groq/llama-3.1-8b-instant"?',
    ],
    ['probe', ['nothing-like-it-at-all'], 'Choose one of: openai/gpt-4o, '],
    ['release', ['--provider', 'grok'], 'No provider "grok". Did you mean "groq"?'],
    ['quarantine', [], 'Usage: '],
    ['release', [], 'Usage: '],
    ['release', ['GPT-4O'], 'gpt-4o is a model; name one of its endpoints: openai/gpt-4o, '],
    ['quarantine', [GROQ, '--reason', 'x'.repeat(300)], 'at most 120 bytes'],
    ['status', ['--wach'], '--wach'],
    ['set', ['retry_max_atempts=1'], 'Did you mean "retry_max_attempts"?'],
  ])('in %s %j is told without a stack', async (command, args, expected) => {
    const { code, stdout, stderr } = await run(command, ...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(expected)
    expect(stderr).not.toContain('    at ')
  })

  test('about the client key says which variable to set', async () => {
    const { code, stderr } = await runCommand('infra/operate/commands/status.ts', [
      '--url',
      gateway.facts.url,
    ])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Set BACKSTOP_CLIENT_KEY, or use --key KEY.')])
  })
})

test('a reader that leaves ends a watch', async () => {
  const child = spawnCommand('infra/operate/commands/status.ts', ['--watch'], environment())
  if (!child.stdout || !child.stderr) throw new Error('the command has no output')
  const [complaint, exit] = [text(child.stderr), new Promise(resolve => child.once('exit', resolve))]
  await new Promise(resolve => child.stdout?.once('data', resolve))
  child.stdout.destroy()
  await run('quarantine', GROQ)
  await exit
  expect(await complaint).toBe('')
  await run('release', GROQ)
})
