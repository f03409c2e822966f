import { configJsonSchema } from '../../../lambdas/config/schema/config-json-schema.ts'
import { COMMANDS } from '../../terminal/command-table.ts'
import { runCommandLine } from '../command-line.ts'

await runCommandLine(COMMANDS.schema, async () => {
  process.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
  return 0
})
