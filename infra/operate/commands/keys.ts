import { parseArgs } from 'node:util'
import shippedConfig from '#gateway-config'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../../lambdas/config/resolve-gateway.ts'
import { STACK_OPTIONS, STACK_USAGE, fleetChoice, type FleetChoice } from '../fleet/fleet-options.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { createLocalKeys } from '../keys/local-keys.ts'
import { parseKeyWords } from '../keys/parse-key-words.ts'
import { readKeyLines } from '../keys/read-key-lines.ts'
import { runKeyTask } from '../keys/run-key-task.ts'
import { runMain } from '../../terminal/run-main.ts'

const USAGE = `Usage: npm run keys -- set PROVIDER | client add NAME | list | remove PROVIDER | remove client NAME

  set PROVIDER        read the key from stdin, never from the command line; several keys: one per line
  client add NAME     create a key for a client and show it once
  list                show names and fingerprints, never a key
  remove              remove the keys of a provider, or a client

  Without --stack: the .env file of this folder, in which clients have fingerprints instead of names.

${STACK_USAGE}`

async function stackKeys(choice: FleetChoice): Promise<KeyStore> {
  // Loaded where it is needed: clients of AWS take their time.
  const { createStackKeys } = await import('../keys/stack-keys.ts')
  const { findStack } = await import('../fleet/find-stack.ts')
  return createStackKeys(await findStack(choice, process.env))
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...STACK_OPTIONS, help: { type: 'boolean', short: 'h' } },
  })
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  if (values.help) return (say(USAGE), 0)
  const providers = [...resolveGateway(parseGatewayConfig(shippedConfig)).providers.keys()]
  const task = parseKeyWords(positionals, { providers, usage: USAGE })
  const choice = fleetChoice(values)
  const store: KeyStore =
    choice.stack === undefined
      ? createLocalKeys(process.cwd(), process.env, providers)
      : await stackKeys(choice)
  const prompt = (provider: string) => (): void =>
    void process.stderr.write(
      `Paste the key of ${provider} (it is not shown). Several keys: one per line. Finish with an empty line.\n`,
    )
  await runKeyTask(task, store, { say, readKeys: provider => readKeyLines(process.stdin, prompt(provider)) })
  return 0
})
