import { App } from 'aws-cdk-lib'
import config from './gateway.config.ts'
import { checkStage } from './constructs/construct-names.ts'
import { GatewayStack } from './gateway-stack.ts'

const DEFAULT_STAGE = 'prod'

function synthesise(): void {
  const app = new App()
  const stage: unknown = app.node.tryGetContext('stage') ?? DEFAULT_STAGE
  checkStage(stage, '-c stage')
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
