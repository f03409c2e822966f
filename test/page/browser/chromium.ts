import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = PLACES.find(existsSync) ?? null

/** Why no browser can be tested in on this machine; null = one can. */
export const missing = executablePath === null ? 'Chromium is not installed: npm run chromium' : null

/** Quiet: nothing that a browser does by itself may reach any other machine. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: FLAGS })

export type OpenedPage = AsyncDisposable & {
  page: Page
  /** What the page itself complained of, and where it asked anything. */
  complaints: readonly string[]
  hosts: ReadonlySet<string>
}

/** Opens a page of its own, which ends with the block that it is opened in. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  const hosts = new Set<string>()
  page.on('pageerror', error => void complaints.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('request', request => void hosts.add(new URL(request.url()).host))
  await page.goto(url)
  return { page, complaints, hosts, [Symbol.asyncDispose]: () => context.close() }
}

/** What breaks a rule of accessibility, as `rule: element`. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Through the debugger: the page itself runs no script of anybody else.
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const own = (globalThis as unknown as { axe: typeof axe }).axe
    const { violations } = await own.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
  })
}
