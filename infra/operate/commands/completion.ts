import { fileURLToPath } from 'node:url'
import { COMMAND_ROWS, COMMANDS } from '../../terminal/command-table.ts'
import { readDotEnv } from '../../terminal/read-dot-env.ts'
import { runCommandLine } from '../command-line.ts'
import { completeWords } from '../completion/complete-words.ts'
import { completionScript, SHELLS } from '../completion/completion-script.ts'
import { gatewayAddress, type GatewayAddress } from '../fleet/gateway-address.ts'
import { knownNames } from '../completion/known-names.ts'

const ASKED = '--complete'

/** Where the gateway is; null where what is written there is no address. */
function addressIn(folder: string): GatewayAddress | null {
  try {
    return gatewayAddress(readDotEnv(folder, process.env))
  } catch {
    return null
  }
}

/** What the script asks at each press of the key: nothing else may be written, whatever fails. */
async function complete(words: readonly string[]): Promise<void> {
  const found = completeWords(words, COMMAND_ROWS, await knownNames(addressIn(process.cwd())))
  process.stdout.write([...found.words, ...(found.files ? [':files'] : [])].map(word => `${word}\n`).join(''))
}

const [, , first, ...words] = process.argv
if (first === ASKED) await complete(words)
else
  await runCommandLine(COMMANDS.completion, async ({ positionals, misuse }) => {
    const [name, ...others] = positionals
    const shell = SHELLS.find(known => known === name)
    if (shell === undefined || others.length > 0) throw misuse('Name your shell: bash or zsh.')
    const place = {
      node: process.execPath,
      command: fileURLToPath(import.meta.url),
      folder: fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, ''),
    }
    process.stdout.write(completionScript(shell, place))
    return 0
  })
