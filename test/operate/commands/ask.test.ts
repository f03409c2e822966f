import { callsAbout } from '../../../infra/operate/fleet/command-call.ts'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { askGateway, firstAlias } from '../../../infra/operate/ask/ask-gateway.ts'
import { ASKED_SURFACES, type AskedSurfaceName } from '../../../infra/operate/ask/ask-surfaces.ts'
import { plain } from '../../../infra/terminal/paint.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { runCommand, spawnCommand } from '../run-command.ts'
import { contentEvent, startScriptedGateway } from '../scripted-gateway.ts'

type ScriptedGateway = Awaited<ReturnType<typeof startScriptedGateway>>

const running: ScriptedGateway[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(server => server.close()))
})

const HEADERS = {
  'content-type': 'text/event-stream',
  'x-request-id': 'request-1',
  'x-backstop-attempts': '2',
  'x-backstop-chain': 'openai/gpt-4o;rate_limit;429;12 > groq/llama;ok;200;140',
}
const TRAIL =
  '\ngpt-4o  openai/gpt-4o rate_limit 429 12 ms > groq/llama ok 200 140 ms\nnpm run why -- request-1\n'

/** A gateway whose chat answer is a test's; its only alias is gpt-4o. */
async function serve(
  chat: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<ScriptedGateway> {
  const gateway = await startScriptedGateway((request, response) => {
    if (request.url === '/v1/models') response.end('{"data":[{"id":"gpt-4o"},{"id":"other"}]}')
    else chat(response, request)
  })
  running.push(gateway)
  return gateway
}

const stream = (...events: string[]) =>
  serve(response => void response.writeHead(200, HEADERS).end(events.join('')))

type Changes = { model?: string; clientKey?: string; surface?: AskedSurfaceName }

async function ask(url: string, changes: Changes = {}) {
  const written = { out: '', error: '' }
  const terminal = {
    out: (text: string) => void (written.out += text),
    error: (text: string) => void (written.error += text),
    paint: plain,
  }
  const { model, clientKey = null, surface = 'chat' } = changes
  const address = { url, clientKey, call: callsAbout({}) }
  const question = {
    turns: [{ role: 'user' as const, content: 'Why?' }],
    model: model ?? (await firstAlias(address, AbortSignal.timeout(60_000))),
    surface: ASKED_SURFACES[surface],
    signal: AbortSignal.timeout(60_000),
  }
  const { failed } = await askGateway(address, question, terminal)
  return { code: failed ? 1 : 0, ...written }
}

describe('an answer', () => {
  test('is printed with the chain it took; the model is the first alias', async () => {
    const gateway = await stream(contentEvent('Because'), contentEvent(' of it.'), 'data: [DONE]\n\n')
    expect(await ask(gateway.url)).toEqual({ code: 0, out: `Because of it.\n${TRAIL}`, error: '' })
    expect(JSON.parse(gateway.seen[1]?.body ?? '')).toEqual({
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Why?' }],
    })
  })

  test('is followed by what it cost, where that is told, or that nobody knows', async () => {
    const usage = (more: string): string =>
      `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1${more}}}\n\n`
    const costOf = async (more: string): Promise<string | undefined> => {
      const gateway = await stream(contentEvent('Yes'), usage(more), 'data: [DONE]\n\n')
      return /cost: .*/.exec((await ask(gateway.url)).out)?.[0]
    }
    expect(await costOf(',"cost":0.00000042')).toBe('cost: $0.00000042')
    expect(await costOf(',"cost":0')).toBe('cost: $0')
    expect(await costOf('')).toBe('cost: price not known')
    for (const odd of ['-1', '"0.01"']) expect(await costOf(`,"cost":${odd}`)).toBe('cost: price not known')
  })

  test('is asked of the model and with the key that were given', async () => {
    const gateway = await stream('data: [DONE]\n\n')
    await ask(gateway.url, { model: 'other', clientKey: 'secret' })
    expect(gateway.seen).toHaveLength(1)
    expect(gateway.seen[0]?.headers['x-api-key']).toBe('secret')
    expect(gateway.seen[0]?.body).toContain('"model":"other"')
  })

  test.each([
    ['chat', 'data: {"choices":[],"usage":{"cost":0.00042}}\n\ndata: [DONE]\n\n'],
    ['responses', 'data: {"type":"response.completed","response":{"usage":{"cost":0.00042}}}\n\n'],
    [
      'messages',
      'data: {"type":"message_delta","usage":{"cost":0.00042}}\n\ndata: {"type":"message_stop"}\n\n',
    ],
  ] as const)('shows what it cost, from %s', async (surface, events) => {
    const gateway = await stream(events)
    expect((await ask(gateway.url, { surface })).out).toContain('cost: $0.00042\n')
  })

  test('cannot move the cursor of the terminal', async () => {
    const gateway = await stream(contentEvent('a\u001B[2Jb\n\tc'), 'data: [DONE]\n\n')
    expect((await ask(gateway.url)).out).toMatch(/^a\[2Jb\n\tc\n/)
  })
})

describe('an answer that breaks off', () => {
  test.each([
    [
      'with an error event',
      'data: {"error":{"message":"the upstream cut the stream"}}\n\n',
      'the upstream cut the stream',
    ],
    ['with an error event without a message', 'data: {"error":"gone"}\n\n', '"gone"'],
    ['without [DONE]', '', 'ended without [DONE]'],
  ])('%s is an error, after the fragment and with the chain', async (_title, last, expected) => {
    const gateway = await stream(contentEvent('Because'), last)
    const { code, out, error } = await ask(gateway.url)
    expect([code, out]).toEqual([1, `Because\n${TRAIL}`])
    expect(error).toMatch(/^error: /)
    expect(error).toContain(expected)
  })

  test('with the connection is an error', async () => {
    const gateway = await serve(response => {
      response.writeHead(200, HEADERS).write(contentEvent('Because'), () => response.destroy())
    })
    const { code, error } = await ask(gateway.url)
    expect([code, error]).toEqual([
      1,
      'error: The answer is incomplete: the connection to the gateway broke.\n',
    ])
  })
})

describe('a refusal', () => {
  test('shows what the gateway says, and the chain', async () => {
    const gateway = await serve(response => {
      response.writeHead(429, HEADERS).end('{"error":{"message":"Everything is rate limited."}}')
    })
    expect(await ask(gateway.url)).toEqual({
      code: 1,
      out: TRAIL,
      error: 'error: Everything is rate limited.\n',
    })
  })

  test('at the door offers no explanation', async () => {
    const gateway = await serve(response => {
      response.writeHead(404, { 'x-request-id': 'request-1' }).end('{"error":{"message":"No such model."}}')
    })
    expect(await ask(gateway.url)).toEqual({ code: 1, out: '', error: 'error: No such model.\n' })
  })

  test('for want of a client key says which variable to set', async () => {
    const gateway = await serve(response => void response.writeHead(401).end('{"error":{"message":"No."}}'))
    expect((await ask(gateway.url)).error).toContain('BACKSTOP_CLIENT_KEY')
  })

  test('that is not JSON shows its status', async () => {
    const gateway = await serve(response => void response.writeHead(502).end('Internal Server Error'))
    expect((await ask(gateway.url)).error).toContain('502: Internal Server Error')
  })
})

describe('the command', () => {
  test('prints an answer, plain in a pipe, from the gateway and with the key of its environment', async () => {
    const gateway = await stream(contentEvent('Because.'), 'data: [DONE]\n\n')
    const env = { BACKSTOP_URL: `${gateway.url}/`, BACKSTOP_CLIENT_KEYS: 'first, second' }
    const outcome = await runCommand('infra/operate/commands/ask.ts', ['Why', 'not?'], env)
    expect(outcome).toEqual({ code: 0, stdout: `Because.\n${TRAIL}`, stderr: '' })
    expect(gateway.seen[1]?.headers['x-api-key']).toBe('first')
    expect(gateway.seen[1]?.body).toContain('"Why not?"')
  })

  test('says how to start a gateway that is not running', async () => {
    const gateway = await stream()
    await gateway.close()
    const { code, stderr } = await runCommand('infra/operate/commands/ask.ts', ['Why?', '--url', gateway.url])
    expect(code).toBe(1)
    expect(stderr).toBe(`No gateway at ${gateway.url}. Start it in another terminal: npm start\n`)
  })

  test.each([
    ['no question', [], /^Ask a question .*\nUsage: /],
    ['an unknown option', ['Why?', '--nope'], /--nope/],
    ['an address that is none', ['Why?', '--url', 'localhost:4141'], /not an http/],
  ])('%s is explained in a line, without a stack', async (_title, args, expected) => {
    const { code, stderr } = await runCommand('infra/operate/commands/ask.ts', args)
    expect(code).toBe(1)
    expect(stderr).toMatch(expected)
    expect(stderr).not.toContain('    at ')
  })

  test('stops without a stack when its reader has left', async () => {
    const gateway = await serve(response => {
      response.writeHead(200, HEADERS).write(contentEvent('Because'))
      const timer = setInterval(() => response.write(contentEvent(' and')), 20)
      response.once('close', () => clearInterval(timer))
    })
    const child = spawnCommand('infra/operate/commands/ask.ts', ['Why?', '--url', gateway.url])
    let stderr = ''
    child.stderr?.on('data', (text: Buffer) => void (stderr += text))
    child.stdout?.once('data', () => child.stdout?.destroy())
    await once(child, 'exit')
    expect(stderr).toBe('')
  })

  test('adds what is piped in, and tells the plan of a dry run', async () => {
    const plan = {
      model: 'gpt-4o',
      prompt_tokens_estimate: 12,
      candidates: [{ endpoint: 'a/m', tier: 1, health: 'suspect' }],
      skipped: [{ endpoint: 'b/m', tier: 2, reason: 'quarantined', seconds: 9 }],
    }
    const gateway = await serve(response => void response.end(JSON.stringify(plan)))
    const { code, stdout } = await runCommand(
      'infra/operate/commands/ask.ts',
      ['Summarise:', '--dry-run', '--system', 'Be brief.', '--url', gateway.url],
      {},
      { stdin: 'a long text\n' },
    )
    expect([code, stdout]).toEqual([
      0,
      'gpt-4o  dry run: no endpoint was called; about 12 tokens in\n\n' +
        '  1. tier 1  a/m  (suspect)\n\nSkipped\n  tier 2  b/m: quarantined, 9 s to go\n',
    ])
    expect(gateway.seen.at(-1)?.headers['x-backstop-dry-run']).toBe('1')
    expect(JSON.parse(gateway.seen.at(-1)?.body ?? '')).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Summarise:\n\na long text' },
      ],
    })
  })

  test('leaves on Ctrl-C and takes its request with it', async () => {
    const left = Promise.withResolvers<void>()
    const gateway = await serve(response => {
      response.once('close', () => left.resolve())
      response.writeHead(200, HEADERS).write(contentEvent('Because'))
    })
    const child = spawnCommand('infra/operate/commands/ask.ts', ['Why?', '--url', gateway.url])
    if (!child.stdout) throw new Error('the command has no output')
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const [code] = (await once(child, 'exit')) as [number]
    await left.promise
    expect(code).toBe(130)
  })
})

describe.each(['chat', 'responses', 'messages'] as const)('a gateway that is asked over %s', surface => {
  test('answers, and an answer that is cut is told as one', async () => {
    const cut = chatStream(['Because', ' of'], { finish: null })
    await using upstream = await startUpstream([chatStream(['Because', ' of it.']), cut])
    await using gateway = await startGateway(configOf({ a: upstream.url }, [['a/m']]))
    const whole = await ask(gateway.url, { surface })
    expect([whole.code, whole.error]).toEqual([0, ''])
    expect(whole.out).toMatch(/^Because of it\.\n\nchat {2}a\/m ok 200/)
    const broken = await ask(gateway.url, { surface })
    expect(broken.code).toBe(1)
    expect(broken.error).toContain('broke off')
  })
})

test('a surface that does not exist is refused, with those that do', async () => {
  const { code, stderr } = await runCommand('infra/operate/commands/ask.ts', [
    '--surface',
    'carrier-pigeon',
    'Why?',
  ])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('There is no surface "carrier-pigeon". Choose chat, responses or messages.'),
  ])
})
