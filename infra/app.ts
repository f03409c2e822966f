import { App } from 'aws-cdk-lib'
import config from './gateway.config.ts'
import { GatewayStack } from './gateway-stack.ts'

const DEFAULT_STAGE = 'prod'

/** Names in AWS are made of it. */
const STAGE = /^[a-z][a-z0-9-]{0,19}$/i

function synthesise(): void {
  const app = new App()
  const stage: unknown = app.node.tryGetContext('stage') ?? DEFAULT_STAGE
  if (typeof stage !== 'string' || !STAGE.test(stage)) {
    throw new Error(`-c stage=${String(stage)}: expected a letter, then up to 19 letters, digits and dashes.`)
  }
  new GatewayStack(app, `Backstop-${stage}`, {
    stage,
    config,
    description: `Backstop, an LLM gateway (${stage})`,
  })
  app.synth()
}

try {
  synthesise()
} catch (error) {
  // Whoever edits a configuration wants to read what is wrong with it, not where it was found.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
