import { expect } from 'vitest'
import type { Outcome } from '../operate/run-command.ts'
import { chatStream, tokens } from '../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { type AwsClients, createAwsClients, REGION } from './aws-clients.ts'
import { openClone, type Clone } from './clone.ts'
import { deployStack, STACK } from './deploy-stack.ts'
import { startAccountServer, type AccountServer } from './deployed-functions.ts'
import { type Moto, startMoto } from './start-moto.ts'

/** What a fleet is named by, in every command and in every command that one prints. */
export const FLEET = ['--stack', STACK, '--region', REGION]

export type EmulatedAccount = AsyncDisposable & {
  clients: AwsClients
  server: AccountServer
  clone: Clone
  upstream: ScriptedUpstream
  outputs: Readonly<Record<string, string>>
  /** Keys that no output may contain. */
  secrets: Set<string>
  env: Record<string, string>
  /** Runs a command about the stack. */
  run(name: string, args?: readonly string[], more?: RunMore): Promise<Outcome>
}

type RunMore = { stdin?: string; fleet?: readonly string[]; env?: Record<string, string> }

/** An account with one deployed stack, whose models are answered by an upstream on loopback. */
export async function openEmulatedAccount(): Promise<EmulatedAccount> {
  const moto = await startMoto()
  try {
    return await openOn(moto)
  } catch (error) {
    // It would outlive the run.
    await moto.close()
    throw error
  }
}

async function openOn(moto: Moto): Promise<EmulatedAccount> {
  const upstream = await startUpstream({ well: [chatStream(tokens(5))], spare: [chatStream(tokens(3))] })
  const configuration = {
    providers: { house: { baseUrl: upstream.url }, attic: { baseUrl: upstream.url } },
    models: { chat: { tiers: [['house/well'], ['attic/spare']] } },
  }
  const clients = createAwsClients(moto.endpoint)
  const server = await startAccountServer(moto.endpoint, clients)
  const { endpoint, url } = server
  const outputs = await deployStack(configuration, { endpoint, region: REGION, clients, url })
  await server.deploy(configuration, outputs)
  const clone = openClone(configuration)
  const secrets = new Set(['of-the-operator'])
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'operator',
    AWS_SECRET_ACCESS_KEY: 'of-the-operator',
    // Hints are one line each.
    COLUMNS: '300',
  }
  return {
    clients,
    server,
    clone,
    upstream,
    outputs,
    secrets,
    env,
    async run(name, args = [], { stdin, fleet = FLEET, env: more = {} } = {}) {
      const outcome = await clone.run(name, [...args, ...fleet], { ...env, ...more }, stdin)
      for (const secret of secrets) expect(outcome.stdout + outcome.stderr).not.toContain(secret)
      return outcome
    },
    async [Symbol.asyncDispose]() {
      clone.close()
      await server.close()
      await moto.close()
      await upstream.close()
      for (const client of Object.values(clients)) client.destroy()
    },
  }
}
