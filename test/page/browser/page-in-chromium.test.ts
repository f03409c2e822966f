import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tellSkipped } from '../../support/tell-skipped.ts'
import { openPageWorld, type PageWorld } from '../page-world.ts'
import { openLine } from './line.ts'
import { accessibilityFaults, launchChromium, missing, openPage } from './chromium.ts'

/** Three outages among models that are well, and a name that no narrow screen can hold in one line. */
const MODELS = {
  'gpt-4o': { tiers: [['limited/gpt-4o'], ['keyless/gpt-4o'], ['steady/llama-3.1-8b-instant']] },
  house: { tiers: [['broken/llama3.2'], ['gone/Llama-3.3-70B-Instruct-Turbo-Free-of-any-charge']] },
  solo: { tiers: [['gone/only-model']] },
  once: { tiers: [['garbled/one']] },
  ...Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [
      `assistant-${index}`,
      { tiers: [['steady/one', 'backup/one'], ['backup/two']] },
    ]),
  ),
}

const overflow = (page: Page): Promise<number> =>
  page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)

tellSkipped('the page in Chromium', missing)

describe.skipIf(missing !== null)(`the page in Chromium${missing === null ? '' : ` (${missing})`}`, () => {
  let browser: Browser
  let world: PageWorld
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([launchChromium(), openPageWorld(MODELS)])
    for (let round = 0; round < 6; round += 1)
      for (const model of ['gpt-4o', 'house', 'solo']) await (await world.ask(model)).text()
    await (await world.ask('once')).text()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  test('the first screen names each outage: the model, the cause, what comes next; why is one click away', async () => {
    await using opened = await openPage(browser, world.pageUrl, { viewport: { width: 1280, height: 800 } })
    const { page, complaints, hosts } = opened
    await page.locator('.card.down').nth(1).waitFor()
    const cards = page.locator('.card:not(.folded)')
    const texts = await cards.allInnerTexts()
    expect(texts[0]).toMatch(/^house\s+cannot answer · .*(?:next|due)/s)
    expect(texts[0]).toMatch(/server errors|missing model/)
    expect(texts[1]).toMatch(
      /^solo\s+cannot answer · gone\/only-model next probe (?:in \d+|due).*quarantine.*after a missing model/s,
    )
    expect(texts[2]).toMatch(
      /^once\s+is called, but every request in the last hour failed: malformed response/,
    )
    expect(await cards.nth(2).getAttribute('class')).toBe('card failing')
    expect(texts[3]).toMatch(
      /^gpt-4o\s+answers from tier 3 of 3.*cooling down after a rate limit, back in \d+ min/s,
    )
    expect(texts[3]).toContain('no key: set KEYLESS_API_KEY')
    for (const card of await cards.all()) {
      const box = await card.boundingBox()
      expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(800)
    }
    expect(await page.locator('#numbers').innerText()).toMatch(/^models cannot answer\s+2 of 13/)
    expect(await page.title()).toBe('2 down · Backstop')
    expect(await page.locator('.lower .pill.now .name').first().innerText()).toBe(
      'steady/llama-3.1-8b-instant',
    )

    await page.locator('#filter-outcome').selectOption('failed')
    await expect.poll(() => page.locator('#row-list .good').count()).toBe(0)
    await page.locator('#filter-model').selectOption('solo')
    const first = page.locator('#row-list tr').first()
    await expect.poll(() => first.innerText()).toContain('solo')
    await first.getByRole('button', { name: /^why/ }).click()
    await expect
      .poll(() => page.locator('#why-dialog pre').innerText())
      .toMatch(/Failed with .*Skipped.*gone\/only-model: quarantined/s)
    await page.keyboard.press('Escape')
    expect(complaints).toEqual([])
    expect([...hosts]).toEqual([new URL(world.url).host])
  })

  test('a trial streams as text, shows the way it took and its cost, and what curl would do', async () => {
    await using opened = await openPage(browser, world.pageUrl)
    const { page, complaints } = opened
    await page.locator('#try-model').selectOption('gpt-4o')
    await page.locator('#try-text').fill("It's a <b>test</b>")
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.locator('#try-status').innerText())
      .toMatch(/^Answered by steady\/llama-3.1-8b-instant in /)
    expect(await page.locator('#try-output').innerText()).toBe(
      'A net that stops <img src=x onerror="document.title=1">',
    )
    expect(await page.locator('main img').count()).toBe(0)
    const trail = page.locator('#try-trail')
    expect(await trail.innerText()).toMatch(/steady\/llama-3.1-8b-instant .*· 20 tokens · \$0\.0003/)
    await trail.getByRole('button', { name: 'as curl' }).click()
    expect(await page.locator('#try-curl').innerText()).toContain(String.raw`It'\''s a <b>test</b>`)
    await trail.getByRole('button', { name: 'why' }).click()
    await expect
      .poll(() => page.locator('#why-dialog pre').innerText())
      .toContain('Answered by steady/llama-3.1-8b-instant')
    // What a host said is shown as it said it.
    await page.keyboard.press('Escape')
    await page.locator('[data-endpoint="broken/llama3.2"]').first().click()
    await expect
      .poll(() => page.locator('#endpoint-dialog').innerText())
      .toContain('Internal error <b>while</b> loading')
    expect(complaints).toEqual([])
  })

  test('by keyboard alone an endpoint is stopped and released, each after a question', async () => {
    await using opened = await openPage(browser, world.pageUrl, { viewport: { width: 360, height: 740 } })
    const { page } = opened
    const summary = page.locator('[data-model="assistant-0"] summary')
    await summary.focus()
    await page.keyboard.press('Enter')
    await page.locator('[data-model="assistant-0"] .pill').first().waitFor()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').innerText()).toContain('steady/one')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'steady/one' })
    for (const [action, question, report] of [
      ['Quarantine', 'Stop all requests to steady/one', 'steady/one is in quarantine.'],
      ['Release', 'Call steady/one again', 'steady/one is released: it was quarantined'],
    ] as const) {
      await dialog.getByRole('button', { name: action }).focus()
      await page.keyboard.press('Enter')
      expect(await dialog.innerText()).toContain(question)
      await page.keyboard.press('Enter')
      await expect.poll(() => dialog.innerText()).toContain(report)
    }
    await page.keyboard.press('Escape')
    await expect.poll(() => dialog.isVisible()).toBe(false)
  })

  test.each(['light', 'dark'] as const)(
    'nothing breaks a rule of accessibility or leaves the screen (%s)',
    async colorScheme => {
      await using opened = await openPage(browser, world.pageUrl, { colorScheme })
      const { page } = opened
      await page.locator('.card.down').first().waitFor()
      for (const width of [360, 800, 1600]) {
        await page.setViewportSize({ width, height: 900 })
        expect([width, await overflow(page)]).toEqual([width, 0])
        expect([width, await accessibilityFaults(page)]).toEqual([width, []])
      }
      await page.locator('.pill').first().click()
      await page.locator('#endpoint-dialog dl').waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
    },
  )

  test('says that it is not live, and is live again by itself', async () => {
    await using line = await openLine(new URL(world.url).port)
    await using opened = await openPage(browser, line.url)
    const live = opened.page.locator('#live')
    await expect.poll(() => live.innerText()).toBe('Live')
    await line.cut()
    await expect
      .poll(() => live.innerText())
      .toMatch(/^Not live since \d\d:\d\d:\d\d: the gateway cannot be reached/)
    await line.mend()
    await expect.poll(() => live.innerText()).toBe('Live')
  })

  test('with client keys the printed link opens it, and nothing of the link is left in the address', async () => {
    await using guarded = await openPageWorld(
      { chat: { tiers: [['steady/one']] } },
      { BACKSTOP_CLIENT_KEYS: 'a-client-key' },
    )
    await using stranger = await openPage(browser, guarded.url)
    await stranger.page.locator('#token').waitFor()
    expect(await stranger.page.locator('main').isVisible()).toBe(false)
    await stranger.page.locator('#token').fill(guarded.pageUrl)
    await stranger.page.keyboard.press('Enter')
    await stranger.page.locator('.card').waitFor()

    await using opened = await openPage(browser, guarded.pageUrl)
    const { page } = opened
    await page.locator('.card').waitFor()
    expect(page.url()).toBe(`${guarded.url}/`)
    await page.reload()
    await page.locator('.card').waitFor()
    await page.locator('#try-ask').click()
    await expect.poll(() => page.locator('#try-status').innerText()).toMatch(/^Answered by steady\/one/)
    expect(await page.content()).not.toContain('a-client-key')
  })
})
