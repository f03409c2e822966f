import { afterEach, describe, expect, test } from 'vitest'
import { explainRequest } from '../../../infra/explain/explain-request.ts'
import { explainSkip } from '../../../infra/explain/explain-skip.ts'
import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { requestListRoute, requestRoute } from '../../../infra/local/routes/request-routes.ts'
import { explainRejection } from '../../../infra/explain/explain-rejection.ts'
import { plain } from '../../../infra/terminal/paint.ts'
import type { RequestCompleted } from '../../../lambdas/core/request-completed.ts'
import { completedRequest } from '../../local/completed-request.ts'
import { recentFailures } from '../../../infra/operate/views/recent-failures.ts'
import { runCommand } from '../run-command.ts'
import { startScriptedGateway } from '../scripted-gateway.ts'

const explain = (changes: Partial<RequestCompleted> = {}): string =>
  explainRequest(completedRequest(changes), plain).join('\n')

describe('the explanation', () => {
  test('tells plan, skips, attempts and tokens', () => {
    expect(explain()).toBe(`gpt-4o  request-1
Answered by groq/llama-3.1-8b-instant (streamed, 156 ms in all, first token after 95 ms)

Plan
  1. tier 1  openai/gpt-4o
  2. tier 2  groq/llama-3.1-8b-instant
  3. tier 3  office/llama  (suspect, not needed)

Skipped
  tier 2  office/other: no_key (no key is set for its provider)

Attempts
      +1 ms  openai/gpt-4o rate_limit 429 12 ms  key 1a2b3c4d
             Rate limit reached[2J for gpt-4o
     +14 ms  groq/llama-3.1-8b-instant ok 200 140 ms

Tokens and cost
  12 in, 30 out, as reported by the provider (estimated before the call: 11 in)
  cost not known: there is no price of groq/llama-3.1-8b-instant
  12 spent on retries, of at most 8000; the delivered answer is not counted
  finish reason: stop`)
  })

  test('tells where a conversation was kept', () => {
    const [first, ...others] = completedRequest().plan.candidates
    if (!first) throw new Error('a plan without candidates')
    const candidates = [{ ...first, sticky: true as const }, ...others]
    expect(explain({ plan: { candidates, skipped: [] } })).toContain(
      '1. tier 1  openai/gpt-4o  (served this conversation last)',
    )
  })

  test('names the trace that the request is part of', () => {
    expect(explain({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736' })).toContain(
      '\nTrace 4bf92f3577b34da6a3ce929d0e0e4736\n\nPlan',
    )
  })

  test('tells what was paid, and what for in vain', () => {
    const told = explain({ dollars: 0.00042, lostDollars: 0.0000001 })
    expect(told).toContain('  $0.00042 for the answer\n  $0.0000001 for attempts that gave no whole answer\n')
    expect(explain({ dollars: 0.1, lostDollars: 0 })).not.toContain('attempts that gave')
    expect(explain({ dollars: 0 })).toContain('  $0 for the answer\n')
  })

  test.each<[string, Partial<RequestCompleted>, string]>([
    [
      'a failure',
      { outcome: 'failed', status: 429, code: 'rate_limit_exceeded' },
      'Failed with 429 rate_limit_exceeded',
    ],
    [
      'a cut',
      { outcome: 'cut', code: 'stream_cut' },
      'Cut while groq/llama-3.1-8b-instant was answering: stream_cut',
    ],
    ['a client that left', { outcome: 'client-left' }, 'The client disconnected before the end'],
    ['an empty plan', { plan: { candidates: [], skipped: [] } }, 'no endpoint could be called'],
    ['no usage', { usage: null }, 'the provider reported none'],
    ['malformed events', { malformedEvents: 2 }, '2 malformed events were dropped'],
  ])('%s is told', (_title, changes, expected) => {
    expect(explain(changes)).toContain(expected)
  })
})

describe('a skip', () => {
  const now = new Date('2026-03-02T10:00:00').getTime()
  const until = now + 90_000
  test.each([
    ['quarantined', null, until, 'it gets no requests until a probe succeeds; next probe at 10:01:30'],
    ['breaker_open', null, until, 'too many calls to its provider failed; next trial at 10:01:30'],
    ['cooldown', 'rate_limit', until, 'cooling down after rate_limit; until 10:01:30'],
    ['cooldown', 'quota_exhausted', now + 86_400_000, 'until 2026-03-03 10:00:00'],
    ['context_too_small', null, null, 'longer than its context window)'],
  ])('for %s is told in words', (reason, cause, instant, expected) => {
    const skip = { endpoint: 'a/b', id: 'a/b', tier: 1, reason, cause, until: instant }
    expect(explainSkip(skip, now)).toContain(`${reason} (`)
    expect(explainSkip(skip, now)).toContain(expected)
  })

  test('for a reason that is not known here keeps its name', () => {
    const skip = { endpoint: 'a/b', id: 'a/b', tier: 1, reason: 'moon_phase', cause: null, until: null }
    expect(explainSkip(skip, now)).toBe('moon_phase')
  })
})

const WHY = 'infra/operate/commands/why.ts'

/** A gateway that remembers these requests, and no more. */
function startMemory(lines: readonly RequestCompleted[]) {
  const memory = createRequestMemory()
  for (const line of lines) memory.remember(line)
  const routes = [requestRoute(memory), requestListRoute(memory)]
  return startScriptedGateway((request, response) => void routes.some(route => route(request, response)))
}

describe('a request that was refused at the door', () => {
  test('is explained by its code and field', () => {
    const line = {
      event: 'request-rejected',
      requestId: 'r-1',
      code: 'model_not_found',
      param: 'model',
    } as const
    expect(explainRejection(line, 0, plain).join('\n')).toMatch(
      /^r-1\nRefused with 404 model_not_found, because of model\n\n[^]*Caller: unknown\n/,
    )
  })
})

describe('the command', () => {
  let gateway: Awaited<ReturnType<typeof startScriptedGateway>> | undefined
  afterEach(() => gateway?.close())

  test('explains a request that the gateway remembers', async () => {
    gateway = await startScriptedGateway((_request, response) =>
      response.end(JSON.stringify(completedRequest())),
    )
    const { code, stdout } = await runCommand('infra/operate/commands/why.ts', [
      'request 1',
      '--url',
      gateway.url,
    ])
    expect(gateway.seen[0]?.path).toBe('/local/requests/request%201')
    expect([code, stdout]).toEqual([0, `${explain()}\n`])
  })

  test.each([
    [['last'], '/local/requests?limit=1'],
    [['--failed', '--model', 'gpt 4'], '/local/requests?outcome=failed%2Ccut&model=gpt+4&limit=1'],
  ])('%j explains the newest one', async (args, path) => {
    gateway = await startMemory([completedRequest({ alias: 'gpt 4', outcome: 'cut' })])
    const { code, stdout } = await runCommand(WHY, [...args, '--url', gateway.url])
    expect(gateway.seen.map(seen => seen.path)).toEqual([path, '/local/requests/request-1'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^gpt 4 {2}request-1 {2}/)])
  })

  test('lists several, each with its ID', async () => {
    const failed = completedRequest({
      requestId: 'r-2',
      outcome: 'failed',
      status: 429,
      code: 'rate_limit_exceeded',
    })
    gateway = await startMemory([completedRequest(), failed])
    const { code, stdout } = await runCommand(WHY, ['-n', '5', '--url', gateway.url])
    expect(code).toBe(0)
    expect(stdout.replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS').split('\n')).toEqual([
      'HH:MM:SS  gpt-4o  429 rate_limit_exceeded (openai/gpt-4o rate_limit 429)',
      '          r-2',
      'HH:MM:SS  gpt-4o  answered by groq/llama-3.1-8b-instant after 1 other in 156 ms',
      '          request-1',
      '',
    ])
  })

  test('its failed ones stand below the status, and none where there is none', async () => {
    gateway = await startMemory([completedRequest()])
    expect(await recentFailures({ url: gateway.url }, Date.now(), plain)).toEqual([])
    await gateway.close()
    expect(await recentFailures({ url: gateway.url }, Date.now(), plain)).toEqual([])
    gateway = await startMemory([completedRequest({ requestId: 'r-2', outcome: 'cut', code: 'stream_cut' })])
    const lines = await recentFailures({ url: gateway.url }, Date.now(), plain)
    expect(lines.slice(0, 2)).toEqual([
      '',
      `Last failed requests  npm run why -- --failed --url ${gateway.url}`,
    ])
    expect(lines[2]).toMatch(
      /^ {2}\d\d:\d\d:\d\d {2}gpt-4o {2}cut, 200 stream_cut \(openai\/gpt-4o rate_limit 429\)$/,
    )
    expect(lines[3]?.trim()).toBe('r-2')
  })

  test('below the status stand the newest of each model, and how many more there are', async () => {
    const failed = (requestId: string, alias: string) =>
      completedRequest({ requestId, alias, outcome: 'failed', status: 503, code: 'all_quarantined' })
    gateway = await startMemory([failed('r-1', 'solo'), failed('r-2', 'gpt-4o'), failed('r-3', 'gpt-4o')])
    const lines = await recentFailures({ url: gateway.url }, Date.now(), plain)
    expect(
      lines.slice(2).map(
        line =>
          line
            .trim()
            .replace(/^\S+  /, '')
            .split('  ')[0],
      ),
    ).toEqual([
      'gpt-4o',
      'r-3',
      'solo',
      'r-1',
      `… and 1 more: npm run why -- --failed -n 20 --url ${gateway.url}`,
    ])
  })

  test('says that there is none, and which model may be meant', async () => {
    gateway = await startMemory([completedRequest()])
    const { code, stdout } = await runCommand(WHY, ['--failed', '--model', 'gpt-4p', '--url', gateway.url])
    expect([code, stdout]).toEqual([
      0,
      'No failed request of the model "gpt-4p" among the last 1,000 that the gateway remembers. Did you mean "gpt-4o"?\n',
    ])
  })

  test.each([
    [['an-id', '--failed'], 'Give one request ID alone'],
    [['-n', '0'], '-n: expected a whole number from 1 to 1000'],
    [['--hours', 'two'], '--hours: expected a number of hours'],
  ])('%j is refused in words', async (args, expected) => {
    const { code, stderr } = await runCommand(WHY, args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(expected)])
  })

  test('says that an id is unknown', async () => {
    gateway = await startScriptedGateway((_request, response) => {
      response.writeHead(404).end('{"error":{"message":"No request with this ID."}}')
    })
    const outcome = await runCommand('infra/operate/commands/why.ts', ['unknown', '--url', gateway.url])
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'No request with this ID.\n' })
  })
})
