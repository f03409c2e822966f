import { afterAll, beforeEach, describe, expect, it, test } from 'vitest'
import { completedRequest } from '../local/completed-request.ts'
import { endpointRow } from '../support/endpoint-row.ts'
import { STACK } from './fake-aws.ts'
import { openStackWorld } from './stack-world.ts'

const GROQ = 'groq/llama-3.1-8b-instant'
const world = await openStackWorld({ rows: [endpointRow({ endpoint: GROQ, id: GROQ, provider: 'groq' })] })
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.aws.answers.clear())

describe('status', () => {
  it('shows what the gateway of the stack answers to the key of the secret', async () => {
    const { code, stdout, stderr } = await world.run('status')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(GROQ)
    expect(world.seen.at(-1)).toMatchObject({
      path: '/v1/endpoints',
      headers: { 'x-api-key': 'the-generated-client-key' },
    })
  })

  it('explains the order of a model of the stack', async () => {
    const { code, stdout } = await world.run('status', ['--explain', 'meta/llama 3'])
    expect([code, stdout]).toEqual([0, `meta/llama 3  strategy priority\n\n  1. tier 1  ${GROQ}\n`])
    expect(world.seen.at(-1)).toMatchObject({
      path: '/v1/endpoints?model=meta%2Fllama%203',
      headers: { 'x-api-key': 'the-generated-client-key' },
    })
  })

  it.each([
    ['an option', ['--key', 'mine'], {}],
    ['the environment', [], { BACKSTOP_CLIENT_KEY: 'mine' }],
  ])('shows another key by %s, and leaves the secret alone', async (_, args, env) => {
    const reads = world.aws.callsOf('GetSecretValue').length
    expect((await world.run('status', args, { env })).code).toBe(0)
    expect(world.seen.at(-1)?.headers['x-api-key']).toBe('mine')
    expect(world.aws.callsOf('GetSecretValue')).toHaveLength(reads)
  })
})

test('quarantine and release write to the table of the stack', async () => {
  const barred = await world.run('quarantine', [GROQ, '--reason', 'bad answers'])
  expect([barred.code, barred.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^groq\/\S+: healthy → quarantined by hand\n.*npm run release -- groq\/\S+ --stack \S+\n$/,
    ),
  ])
  expect(await world.store.readStateItem(`endpoint#${GROQ}`)).toMatchObject({
    health: { state: 'quarantined' },
  })
  const released = await world.run('release', [GROQ])
  expect([released.code, released.stdout]).toEqual([0, `${GROQ}: quarantined → healthy\n`])
  expect(await world.store.readStateItem(`endpoint#${GROQ}`)).toBeNull()
})

test('set overrides without asking the gateway, which may be what is broken', async () => {
  const asked = world.seen.length
  const { code, stdout } = await world.run('set', ['retry_max_attempts=2'])
  expect([code, stdout]).toEqual([0, 'Overrides in force\n  retry_max_attempts = 2  instead of 4\n'])
  expect(await world.store.readStateItem('settings')).toMatchObject({ overrides: { retry_max_attempts: 2 } })
  expect(world.seen).toHaveLength(asked)
})

describe('probe', () => {
  const result = { endpoint: GROQ, provider: 'groq', outcome: 'ok', durationMs: 12, tokens: 1, message: null }

  it('invokes the probe function for one endpoint', async () => {
    world.aws.answers.set('Invoke', () => ({ body: { probes: [result] } }))
    const { code, stdout } = await world.run('probe', [GROQ])
    expect([code, stdout]).toEqual([0, `${GROQ}  ok  12 ms\n`])
    expect(world.aws.callsOf('Invoke').at(-1)?.input).toEqual({
      url: expect.stringContaining('/functions/the-probe/invocations') as unknown,
      payload: { force: false, endpoint: GROQ },
    })
  })

  it('forces a pass, whose failures are its exit code', async () => {
    const failed = { ...result, outcome: 'auth', message: 'refused' }
    world.aws.answers.set('Invoke', () => ({ body: { probes: [failed] } }))
    expect(await world.run('probe', ['--force'])).toMatchObject({
      code: 1,
      stdout: `${GROQ}  auth  12 ms  refused\n`,
    })
    expect(world.aws.callsOf('Invoke').at(-1)?.input).toMatchObject({ payload: { force: true } })
  })

  it('says why there was nothing to do', async () => {
    expect((await world.run('probe')).stdout).toBe('Nothing to probe: every endpoint is healthy.\n')
  })
})

test('ask asks the URL of the stack, and says how to ask why', async () => {
  const { code, stdout } = await world.run('ask', ['Are you there?', '--model', 'gpt-4o'])
  expect([code, stdout]).toEqual([0, `Hello.\nnpm run why -- request-1 --stack ${STACK}\n`])
  expect(world.seen.at(-1)).toMatchObject({ headers: { 'x-api-key': 'the-generated-client-key' } })
})

describe('why', () => {
  const event = {
    timestamp: Date.now(),
    message: JSON.stringify({ ...completedRequest(), _aws: {}, Requests: 1 }),
  }

  it('explains the line of the log, also from a later page', async () => {
    const pages = [{ events: [], nextToken: 'more' }, { events: [event] }]
    world.aws.answers.set('FilterLogEvents', () => ({ body: pages.shift() ?? {} }))
    const { code, stdout } = await world.run('why', ['request-1'])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^gpt-4o {2}request-1 {2}\S+\nAnswered by groq/),
    ])
    const [first, second] = world.aws.callsOf('FilterLogEvents')
    expect(first?.input).toMatchObject({
      logGroupName: 'the-log',
      filterPattern:
        '{ ($.event = "request-completed" || $.event = "request-rejected") && $.requestId = "request-1" }',
    })
    expect(second?.input).toMatchObject({ nextToken: 'more' })
  })

  it('explains the newest failed one, searching from now back', async () => {
    const failed = { ...completedRequest({ requestId: 'failed', outcome: 'failed', status: 503 }), _aws: {} }
    const older = {
      timestamp: Date.now() - 600_000,
      message: JSON.stringify({ ...failed, requestId: 'older' }),
    }
    const newer = { timestamp: Date.now() - 590_000, message: JSON.stringify(failed) }
    const stretches = [{}, {}, { events: [older, newer] }]
    const before = world.aws.callsOf('FilterLogEvents').length
    world.aws.answers.set('FilterLogEvents', () => ({ body: stretches.shift() ?? {} }))
    const { code, stdout, stderr } = await world.run('why', ['--failed', '--model', 'gpt-4o'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^gpt-4o {2}failed {2}(?:\S+ )?\d\d:\d\d:\d\d\nFailed with 503/)
    const inputs = world.aws
      .callsOf('FilterLogEvents')
      .slice(before)
      .map(({ input }) => input)
    expect(inputs).toHaveLength(3)
    expect(inputs[0]).toMatchObject({
      filterPattern:
        '{ ($.event = "request-completed" && ($.outcome = "failed" || $.outcome = "cut") && $.alias = "gpt-4o") }',
    })
    // Each stretch ends where the one before began.
    expect(inputs.slice(1).map(({ endTime }) => Number(endTime) + 1)).toEqual(
      inputs.slice(0, -1).map(({ startTime }) => startTime),
    )
  })

  it('gives up on a log that is too long to search, in words', async () => {
    world.aws.answers.set('FilterLogEvents', () => ({ body: { events: [], nextToken: 'more' } }))
    expect(await world.run('why', ['-n', '3'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Narrow the search with --model, --failed or a smaller --hours',
      ) as unknown,
    })
  })

  it.each([
    [
      'an id that the log does not have',
      'request-2',
      /^No request with this ID in the log of 'Backstop-test'/,
    ],
    ['an id that is only like it', 'request-*', /^No request with this ID in the log of 'Backstop-test'/],
    ['what is no id', 'a" || "', /^'a" \|\| "' is not a request ID/],
  ])('says so for %s', async (_, id, expected) => {
    world.aws.answers.set('FilterLogEvents', () => ({ body: { events: [event] } }))
    expect(await world.run('why', [id])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(expected) as unknown,
    })
  })
})

test('a URL with auth iam is called signed, and without a client key', async () => {
  await using signed = await openStackWorld({ auth: 'iam' })
  expect((await signed.run('ask', ['Hello?', '--model', 'gpt-4o'])).code).toBe(0)
  expect((await signed.run('status')).code).toBe(0)
  for (const { headers } of signed.seen) {
    expect(headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=local\/\d+\/us-east-1\/lambda\/aws4_request/,
    )
    expect(headers['x-amz-date']).toMatch(/^\d{8}T\d{6}Z$/)
    expect(headers).not.toHaveProperty('x-api-key')
  }
  expect(signed.aws.callsOf('GetSecretValue')).toEqual([])
})
