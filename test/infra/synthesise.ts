import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { GatewayStack } from '../../infra/gateway-stack.ts'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'

export type Synthesis = { app: App; stack: GatewayStack; readonly template: Template }

/** A configuration with two providers, one of which needs no key in AWS. */
export const CONFIG = {
  models: { chat: { tiers: [['groq/llama-3.1-8b-instant'], ['bedrock/openai.gpt-oss-20b-1:0']] } },
}

/** An app that bundles nothing, because templates do not need it, unless it is told to. */
export function createApp({ bundle = false, flags = {} }: { bundle?: boolean; flags?: object } = {}): App {
  const outdir = mkdtempSync(join(tmpdir(), 'backstop-synthesis-'))
  return new App({ outdir, context: { ...flags, ...(!bundle && { 'aws:cdk:bundling-stacks': [] }) } })
}

/** The stack of one stage with this configuration, and its template, made when it is asked for. */
export function synthesise(configuration: unknown = CONFIG, stage = 'test', app = createApp()): Synthesis {
  const stack = new GatewayStack(app, `Backstop-${stage}`, {
    stage,
    // The construct checks it.
    config: configuration as GatewayConfig,
  })
  return {
    app,
    stack,
    // An app is complete once it has been synthesised, so that several stages are added before.
    get template() {
      return Template.fromStack(stack)
    },
  }
}

/** Fails unless some resource of this type has these properties, beside others. */
export function expectResource(template: Template, type: string, properties: object): void {
  template.hasResourceProperties(type, properties)
}
