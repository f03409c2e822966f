import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { isJsonObject, parseJsonObject } from '../../lambdas/core/json.ts'
import { ask } from '../support/ask.ts'
import { chatChunk, chatStream } from '../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { startGateway, type TestGateway } from '../support/start-gateway.ts'
import { STRICT_PROVIDERS, type StrictProvider } from '../support/upstreams/strict-providers.ts'
import { streamOf } from '../support/tool-calls.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'

const NAMES = Object.keys(STRICT_PROVIDERS)
const PAIRS = NAMES.flatMap(from => NAMES.filter(to => to !== from).map(to => [from, to] as const))

/** A developer, and a user who speaks in parts, as the AI SDK sends them. */
const OPENING: readonly JsonObject[] = [
  { role: 'developer', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'How is' },
      { type: 'text', text: 'Rome?' },
    ],
  },
]
const REST = {
  store: false,
  user: 'someone',
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
}

const endpointOf = (name: string): string => `${name}/${STRICT_PROVIDERS[name]?.model ?? ''}`

/** Refuses what it refuses; calls the tool on request, and else answers. */
function answerOf(provider: StrictProvider, body: JsonObject): UpstreamAnswer {
  const refused = provider.refuse(body)
  if (refused) return refused
  const last = Array.isArray(body.messages) ? body.messages.at(-1) : null
  if (isJsonObject(last) && last.role === 'tool') return chatStream(['Sunny.'])
  return streamOf([chatChunk({ role: 'assistant', ...provider.turn }), chatChunk({}, 'tool_calls')])
}

const upstreams = new Map<string, ScriptedUpstream>()
const down = new Set<string>()
beforeAll(async () => {
  for (const [name, provider] of Object.entries(STRICT_PROVIDERS)) {
    const script = ({ body }: { body: JsonObject }): UpstreamAnswer =>
      down.has(name) ? { status: 503, body: 'down' } : answerOf(provider, body)
    upstreams.set(name, await startUpstream(script))
  }
})
afterAll(async () => {
  for (const upstream of upstreams.values()) await upstream.close()
})

let gateway: TestGateway | null = null
afterEach(async () => {
  down.clear()
  await gateway?.close()
})

/** Rows of the catalogue, each at its strict stand-in; one alias a provider, and one of these two. */
async function start(tiers: readonly (readonly string[])[]): Promise<TestGateway> {
  const provider = ([name, { url }]: [string, ScriptedUpstream]) => [name, { baseUrl: url, key: false }]
  const alone = NAMES.map(name => [name, { tiers: [[endpointOf(name)]] }])
  gateway = await startGateway({
    providers: Object.fromEntries([...upstreams].map(provider)),
    models: { ...Object.fromEntries(alone), chat: { tiers: tiers.map(names => names.map(endpointOf)) } },
    settings: { retry_base_ms: 0, retry_patience_ms: 0 },
  })
  return gateway
}

/** One round of a conversation; the message that came back, as the client keeps it. */
async function round(
  through: TestGateway,
  model: string,
  messages: readonly JsonObject[],
): Promise<{ message: JsonObject; chain: string }> {
  const headers = { 'x-backstop-session': `conversation-${model}` }
  const answer = await ask(through, { ...REST, model, messages }, headers)
  const chain = answer.headers.get('x-backstop-chain') ?? ''
  expect([answer.status, answer.error?.message, chain]).toEqual([200, undefined, chain])
  const { choices } = parseJsonObject(answer.text) ?? {}
  const [choice] = Array.isArray(choices) ? choices : []
  const message = isJsonObject(choice) && isJsonObject(choice.message) ? choice.message : {}
  return { message, chain }
}

/** The results of every call in a message. */
function resultsOf({ tool_calls: calls }: JsonObject): JsonObject[] {
  const list = Array.isArray(calls) ? calls.filter(isJsonObject) : []
  expect(list.length).toBeGreaterThan(0)
  return list.map(({ id = '' }) => ({ role: 'tool', tool_call_id: id, content: '31 degrees' }))
}

describe('a tool conversation that fails over', () => {
  test.each(PAIRS)('from %s to %s is taken there at the first try', async (from, to) => {
    const through = await start([[from], [to]])
    const first = await round(through, 'chat', OPENING)
    expect(first.chain).toContain(`${endpointOf(from)};ok`)
    down.add(from)
    const history = [...OPENING, first.message, ...resultsOf(first.message)]
    const { message, chain } = await round(through, 'chat', history)
    expect(message.content).toBe('Sunny.')
    // Whatever is wrong with the first, the second takes the history as it is.
    expect(chain).toMatch(/^(?:[^>]*;503;\d+ > )+[^>]*;ok;200;\d+$/)
    expect(chain).toContain(` > ${endpointOf(to)};`)
  })
})

it('one conversation travels through all of them, there and back', async () => {
  const through = await start([NAMES])
  let history: readonly JsonObject[] = OPENING
  for (const name of [...NAMES, ...NAMES.toReversed()]) {
    const called = await round(through, name, history)
    expect(called.chain).toMatch(/^[^>]*;ok;200;\d+$/)
    const told = [...history, called.message, ...resultsOf(called.message)]
    const answered = await round(through, name, told)
    expect(answered.chain).toMatch(/^[^>]*;ok;200;\d+$/)
    history = [...told, answered.message, { role: 'user', content: 'And now?' }]
  }
  expect(history.length).toBe(OPENING.length + NAMES.length * 2 * 4)
})
