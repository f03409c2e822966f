import { afterEach, describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { chatChunk, chatStream, errorAnswer, sseEvent, tokens } from '../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway, type TestGateway } from '../support/start-gateway.ts'
import type { HttpAnswer } from '../support/upstreams/upstream-answer.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

const HEADER = 'x-backstop-retry-token-budget'
const down = errorAnswer(503, { message: 'The server is overloaded.' })
const healthy = () => chatStream(['all ', 'well'])

/** An answer that breaks off, with or without a count of what it has cost. */
function broken(texts: readonly string[], total: number | null = null): HttpAnswer {
  const usage = { prompt_tokens: total, completion_tokens: 0, total_tokens: total }
  const counted = total === null ? [] : [{ ...chatChunk({}), choices: [], usage }]
  const chunks = [...texts.map(content => chatChunk({ content })), ...counted]
  return { status: 200, chunks: chunks.map(sseEvent) }
}

async function chainOf(
  scripts: readonly UpstreamScript[],
  settings: Record<string, unknown> = {},
): Promise<{ gateway: TestGateway; upstreams: ScriptedUpstream[] }> {
  const upstreams: ScriptedUpstream[] = []
  for (const script of scripts) upstreams.push(await startUpstream(script))
  const names = upstreams.map((_, index) => `p${index}`)
  const urls = Object.fromEntries(upstreams.map(({ url }, index) => [`p${index}`, url]))
  const tiers = names.map(name => [`${name}/m`])
  const gateway = await startGateway(configOf(urls, tiers, { retry_max_attempts: 3, ...settings }))
  open.push(...upstreams, gateway)
  return { gateway, upstreams }
}

const callsOf = (upstreams: readonly ScriptedUpstream[]): number[] =>
  upstreams.map(upstream => upstream.calls())

describe('the retry budget in tokens', () => {
  it('lets retries go on as long as only refusals came, and counts the prompt of the one that answers', async () => {
    const { gateway, upstreams } = await chainOf([[down], [down], [healthy()]])
    expect((await ask(gateway, { stream: true })).content).toBe('all well')
    expect(callsOf(upstreams)).toEqual([1, 1, 1])
    await expect.poll(() => gateway.completed[0]).toMatchObject({ retryTokens: 5, retryTokenBudget: 8_000 })
  })

  it('counts nothing where the first attempt answers', async () => {
    const { gateway } = await chainOf([[healthy()]])
    await ask(gateway)
    await expect.poll(() => gateway.completed[0]?.retryTokens).toBe(0)
  })

  it('counts what the upstream says that a broken retry has cost, and shows the arithmetic', async () => {
    const { gateway, upstreams } = await chainOf([[down], [broken(['half'], 7_995)], [healthy()]])
    const answer = await ask(gateway)
    expect([answer.status, answer.error?.code]).toEqual([503, 'retry_budget_exhausted'])
    expect(answer.error?.message).toMatch(
      /7,995 tokens spent on retries \+ \d+ for the prompt of one more = 8,0\d\d, more than the 8,000 allowed/,
    )
    expect(callsOf(upstreams)).toEqual([1, 1, 0])
    await expect.poll(() => gateway.completed[0]?.retryTokens).toBe(7_995)
  })

  it('estimates what came where nobody counted, but no more than was asked for', async () => {
    const long = tokens(400)
    const settings = { retry_token_budget: 500 }
    const over = await chainOf([[down], [broken(long)], [healthy()]], settings)
    expect((await ask(over.gateway)).error?.code).toBe('retry_budget_exhausted')

    const bounded = await chainOf([[down], [broken(long)], [healthy()]], settings)
    expect((await ask(bounded.gateway, { max_tokens: 100 })).content).toBe('all well')
  })

  it('leaves the first attempt out, whatever it has cost', async () => {
    const { gateway } = await chainOf([[broken(['half'], 1_000_000)], [healthy()]])
    expect((await ask(gateway)).content).toBe('all well')
  })

  it('is lowered by a client, down to no retries at all', async () => {
    const { gateway, upstreams } = await chainOf([[down], [healthy()]])
    const answer = await ask(gateway, {}, { [HEADER]: '0' })
    expect([answer.status, answer.error?.code]).toEqual([503, 'retry_budget_exhausted'])
    expect(answer.headers.get('retry-after')).not.toBeNull()
    expect(callsOf(upstreams)).toEqual([1, 0])
    expect(upstreams[0]?.requests[0]?.headers).not.toHaveProperty(HEADER)
  })

  it('is not raised by a client', async () => {
    const { gateway } = await chainOf([[down], [healthy()]], { retry_token_budget: 1 })
    expect((await ask(gateway, {}, { [HEADER]: '50000' })).error?.message).toContain(
      'more than the 1 allowed',
    )
  })

  it('refuses what is no number, before anybody is asked', async () => {
    const { gateway, upstreams } = await chainOf([[healthy()]])
    const answer = await ask(gateway, {}, { [HEADER]: 'a lot' })
    expect([answer.status, answer.error?.code, answer.error?.param]).toEqual([400, 'invalid_header', HEADER])
    expect(callsOf(upstreams)).toEqual([0])
  })
})
