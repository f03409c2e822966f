import { configJsonSchema } from '../../../lambdas/config/schema/config-json-schema.ts'
import { runMain } from '../../terminal/run-main.ts'

const USAGE = `Usage: npm run schema

  Prints the JSON Schema of the configuration: npm run --silent schema > gateway.schema.json
  A gateway.json that begins with "$schema": "./gateway.schema.json" is then completed and checked by editors.`

await runMain(async () => {
  const isHelp = process.argv.slice(2).some(word => word === '--help' || word === '-h')
  process.stdout.write(`${isHelp ? USAGE : JSON.stringify(configJsonSchema(), null, 2)}\n`)
  return 0
})
