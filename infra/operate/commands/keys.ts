import shippedConfig from '#gateway-config'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../../lambdas/config/resolve-gateway.ts'
import { fleetChoice, type FleetChoice } from '../fleet/fleet-options.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { createLocalKeys } from '../keys/local-keys.ts'
import { parseKeyWords } from '../keys/parse-key-words.ts'
import { readKeyLines } from '../keys/read-key-lines.ts'
import { runKeyTask } from '../keys/run-key-task.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { columnsOf, usageOf } from '../../terminal/command-usage.ts'
import { runCommandLine } from '../command-line.ts'

async function stackKeys(choice: FleetChoice): Promise<KeyStore> {
  // Loaded where it is needed: clients of AWS take their time.
  const { createStackKeys } = await import('../keys/stack-keys.ts')
  const { findStack } = await import('../fleet/find-stack.ts')
  return createStackKeys(await findStack(choice, process.env))
}

await runCommandLine(COMMANDS.keys, async ({ values, positionals }) => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const providers = [...resolveGateway(parseGatewayConfig(shippedConfig)).providers.keys()]
  const task = parseKeyWords(positionals, {
    providers,
    usage: usageOf(COMMANDS.keys, columnsOf(process.stderr)),
  })
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
