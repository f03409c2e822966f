import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isJsonObject, type Json } from '../../../lambdas/core/json.ts'
import { readAnswer, type Answer } from '../../support/ask.ts'
import { chatCompletion, chatStream } from '../../support/upstreams/chat-bodies.ts'
import { readAsClient } from '../../support/read-as-client.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import type { UpstreamRequest } from '../../support/upstreams/upstream-request.ts'
import {
  expectationIn,
  WIRE_CASES,
  type WireCase,
  type WireExpectation,
  type WireMode,
} from '../../support/wire-cases.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { wireAnswer } from '../../support/upstreams/wire-upstream.ts'

let fallback: ScriptedUpstream
beforeAll(async () => {
  fallback = await startUpstream(({ body }) =>
    body.stream === true ? chatStream(['FALLBACK']) : chatCompletion('FALLBACK'),
  )
})
afterAll(() => fallback.close())

type Played = { answer: Answer; requests: readonly UpstreamRequest[] }

async function play(wire: WireCase, mode: WireMode): Promise<Played> {
  const { provider = 'primary', request, requestRaw, headers = {} } = wire
  const clock = createVirtualClock()
  await using upstream = await startUpstream(received => wireAnswer(wire.upstream, received), { clock })
  const backup = wire.fallback ? [['backup/m']] : []
  const urls = { [provider]: upstream.url, backup: fallback.url }
  await using gateway = await startGateway(configOf(urls, [[`${provider}/m`], ...backup]), {}, { clock })
  const messages = [{ role: 'user', content: 'Hello?' }]
  const text = JSON.stringify({ model: 'chat', messages, ...request, stream: mode === 'stream' })
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: requestRaw === undefined ? text : text.replace(/\}$/, `,${requestRaw.slice(1)}`),
  })
  const answer = await readAnswer(response)
  expect(gateway.handlerErrors).toEqual([])
  return { answer, requests: upstream.requests }
}

const at = (value: Json | undefined, path: string): Json | undefined =>
  path.split('.').reduce<Json | undefined>((found, name) => {
    if (Array.isArray(found)) return name === 'length' ? found.length : found[Number(name)]
    return isJsonObject(found) ? found[name] : undefined
  }, value)

function idsIn({ body }: UpstreamRequest) {
  const messages = (Array.isArray(body.messages) ? body.messages : []).filter(isJsonObject)
  const calls = messages.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []))
  return {
    called: calls.map(call => at(call, 'id')),
    answered: messages.flatMap(({ tool_call_id }) => (tool_call_id === undefined ? [] : [tool_call_id])),
  }
}

function expectAnswer({ answer, requests }: Played, mode: WireMode, expected: WireExpectation): void {
  const { text } = answer
  for (const word of expected.contains ?? []) expect(text).toContain(word)
  for (const word of expected.absent ?? []) expect(text).not.toContain(word)
  if (expected.minBytes !== undefined) expect(Buffer.byteLength(text)).toBeGreaterThan(expected.minBytes)
  if (expected.maxCalls !== undefined) expect(requests.length).toBeLessThanOrEqual(expected.maxCalls)
  if (expected.chain !== undefined) expect(answer.headers.get('x-backstop-chain')).toContain(expected.chain)
  if (expected.error) {
    expect(answer.error).not.toBeNull()
    expect(answer.done).toBe(false)
    return
  }
  expect(answer.error).toBeNull()
  if (mode === 'stream') expect(answer.done).toBe(true)
  if (expected.fallback === true || (expected.fallback === 'allowed' && answer.content === 'FALLBACK')) {
    expect(answer.content).toBe('FALLBACK')
    return
  }
  expect(answer.headers.get('x-backstop-served-by')).not.toBe('backup/m')
  const view = readAsClient(answer)
  if (expected.content !== undefined) expect(view.content).toBe(expected.content)
  if (expected.calls) expect(view.calls.map(call => [call.name, call.arguments])).toEqual(expected.calls)
  if (expected.finish !== undefined) expect(view.finish).toBe(expected.finish)
  if (expected.usage) expect(view.usage).toMatchObject(expected.usage)
  for (const [path, value] of Object.entries(expected.at ?? {}))
    expect(at(view.completion, path)).toEqual(value)
  const ids = view.calls.map(({ id }) => id)
  if (expected.distinctIds) expect(ids.filter(Boolean)).toHaveLength(new Set(ids).size)
  if (expected.pairedIds) {
    const { called, answered } = idsIn(requests.at(-1) ?? ({ body: {} } as UpstreamRequest))
    expect(called).toEqual(answered)
    expect(called.length).toBeGreaterThan(0)
  }
  if (expected.strict) {
    expect(view.role).toBe('assistant')
    expect(view.finish).toEqual(expect.any(String))
    for (const call of view.calls) {
      expect(call.id).not.toBe('')
      expect(call.type).toBe('function')
      expect(JSON.parse(call.arguments)).toBeInstanceOf(Object)
    }
  }
}

function expectAny(played: Played, mode: WireMode, all: WireExpectation): void {
  if (!all.anyOf) return expectAnswer(played, mode, expectationIn(mode, all))
  const failures: unknown[] = []
  for (const one of all.anyOf) {
    try {
      return expectAnswer(played, mode, expectationIn(mode, one))
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, 'none of the expectations holds')
}

const MODES: readonly WireMode[] = ['stream', 'whole']

describe.each(MODES)('a wire shape seen in public, asked for as a %s', mode => {
  const cases = WIRE_CASES.filter(({ modes }) => modes.includes(mode))
  test.concurrent.each(cases.map(wire => [wire.id, wire.kind, wire] as const))(
    '%s: %s',
    async (_, __, wire) => {
      expectAny(await play(wire, mode), mode, wire.expected)
    },
  )
})
