import { once } from 'node:events'
import { createPage } from '../../page/page-routes.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'
import { servePage } from '../page/serve-page.ts'

const DEFAULT_PORT = '4142'
const HIGHEST_PORT = 65_535

function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (port <= HIGHEST_PORT) return port
  throw new CommandError(`--port ${text}: expected a number from 0 to ${HIGHEST_PORT}.`)
}

await runCommandLine(COMMANDS.page, async ({ values, misuse }) => {
  const { stack, profile, region, port = DEFAULT_PORT } = values
  if (stack === undefined)
    throw misuse('Name a stack. The gateway on this machine serves its page itself, where npm start says.')
  const wanted = readPort(port)
  // Loaded where it is needed: clients of AWS take their time.
  const { openStackPageSource } = await import('../page/stack-page-source.ts')
  const source = await openStackPageSource({ stack, profile, region }, process.env)
  const page = await servePage(createPage(source, { guarded: true }), wanted)
  process.stdout.write(
    `The page of ${stack}: ${page.url}\nWhoever has this link can act on the stack. Press Ctrl-C to stop.\n`,
  )
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await page.close()
  // Clients of AWS keep connections open.
  process.exit(0)
})
