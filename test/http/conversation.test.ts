import { describe, expect, it } from 'vitest'
import type { Conversation } from '../../lambdas/core/chat-request.ts'
import { chatCompletions } from '../../lambdas/http/surfaces/chat-completions.ts'
import { messages } from '../../lambdas/http/surfaces/messages.ts'
import { responses } from '../../lambdas/http/surfaces/responses.ts'
import { functionUrlEvent } from '../support/function-url-event.ts'

const CALLER = { name: 'billing-app' }
const SYSTEM = { role: 'system', content: 'You are terse.' }
const HI = { role: 'user', content: 'Hi' }
const HELLO = { role: 'assistant', content: 'Hello.' }
const MORE = { role: 'user', content: 'Go on.' }

type Told = { headers?: Record<string, string>; caller?: { name: string }; body?: object }

async function conversation(
  turns: readonly object[],
  { headers, caller = CALLER, body }: Told = {},
): Promise<Conversation> {
  const event = functionUrlEvent({
    body: { model: 'm', messages: turns, ...body },
    ...(headers && { headers }),
  })
  const { conversation: found } = await chatCompletions.parse(event, caller)
  if (!found) throw new Error('a chat is a conversation')
  return found
}

describe('a conversation without an id', () => {
  it('is known by its instructions and the first thing that the user says, through all of its turns', async () => {
    const first = await conversation([SYSTEM, HI])
    const second = await conversation([SYSTEM, HI, HELLO, MORE])
    const third = await conversation([SYSTEM, HI, HELLO, MORE, HELLO, { role: 'tool', content: '42' }])
    expect(first).toMatchObject({ named: false, continued: false })
    expect(second).toMatchObject({ named: false, continued: true })
    expect(new Set([first, second, third].map(({ id }) => id())).size).toBe(1)
  })

  it('is another one with other instructions, another first question, another model or another client', async () => {
    const all = await Promise.all([
      conversation([SYSTEM, HI]),
      conversation([{ ...SYSTEM, content: 'You are chatty.' }, HI]),
      conversation([SYSTEM, MORE]),
      conversation([HI]),
      conversation([SYSTEM, HI], { body: { model: 'other' } }),
      conversation([SYSTEM, HI], { caller: { name: 'web-app' } }),
    ])
    expect(new Set(all.map(({ id }) => id())).size).toBe(all.length)
  })

  it('is the same whether its text comes whole or in a part', async () => {
    const inParts = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
    expect((await conversation([SYSTEM, inParts])).id()).toBe((await conversation([SYSTEM, HI])).id())
  })

  it('looks at no more than the beginning of a long text and its length, and at no picture', async () => {
    const long = 'x'.repeat(20_000)
    const idOf = async (text: string, picture: string): Promise<string> => {
      const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }
      return (await conversation([{ role: 'user', content: [{ type: 'text', text }, image] }])).id()
    }
    expect(await idOf(`${long}one`, 'aaaa')).toBe(await idOf(`${long}two`, 'bbbb'))
    expect(await idOf(`${long}one`, 'aaaa')).not.toBe(await idOf(`${long}three`, 'aaaa'))
    expect(await idOf(`${long}one`, 'aaaa')).not.toBe(await idOf(`y${long}on`, 'aaaa'))
  })

  it('is one where nobody has asked anything yet', async () => {
    expect((await conversation([SYSTEM])).id()).not.toBe((await conversation([SYSTEM, HI])).id())
  })
})

describe('a conversation with an id', () => {
  const headers = { 'x-backstop-session': 's-1' }

  it('is known by it, however it begins', async () => {
    const one = await conversation([SYSTEM, HI], { headers })
    expect(one.named).toBe(true)
    expect((await conversation([MORE], { headers })).id()).toBe(one.id())
    expect((await conversation([SYSTEM, HI])).id()).not.toBe(one.id())
    expect((await conversation([HI], { headers: { 'x-backstop-session': 's-2' } })).id()).not.toBe(one.id())
    expect((await conversation([HI], { body: { prompt_cache_key: 's-1' } })).id()).toBe(one.id())
  })

  it('is the client’s own, and another one for each model of an agent', async () => {
    const id = (await conversation([HI], { headers })).id()
    expect((await conversation([HI], { headers, caller: { name: 'web-app' } })).id()).not.toBe(id)
    expect((await conversation([HI], { headers, body: { model: 'small' } })).id()).not.toBe(id)
  })

  it('shows neither the id nor the client nor what was said', async () => {
    expect((await conversation([SYSTEM, HI], { headers })).id()).toMatch(/^[0-9a-f]{32}$/)
  })
})

it('is the same in every API that clients speak', async () => {
  const chat = (await conversation([SYSTEM, HI])).id()
  const inMessages = await messages.parse(
    functionUrlEvent({ body: { model: 'm', max_tokens: 9, system: SYSTEM.content, messages: [HI] } }),
    CALLER,
  )
  const inResponses = await responses.parse(
    functionUrlEvent({ body: { model: 'm', instructions: SYSTEM.content, input: 'Hi' } }),
    CALLER,
  )
  expect(inMessages.conversation?.id()).toBe(chat)
  expect(inResponses.conversation?.id()).toBe(chat)
})
