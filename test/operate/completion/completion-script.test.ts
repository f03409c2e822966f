import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createRequestMemory } from '../../../infra/local/request-memory.ts'
import { startLocalGateway } from '../../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { configOf } from '../../support/start-gateway.ts'
import { runCommand } from '../run-command.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** What bash offers for a line, by the function that the script installs. */
const OFFER = `
eval "$1"
offer() { COMP_LINE=$2; COMP_POINT=\${#COMP_LINE}; _backstop "$1"; echo "$2 => \${COMPREPLY[*]}"; }
offer npm 'npm run rel'
offer npm 'npm run release -- deep/'
offer npm 'npm run release -- deep/chat:'
offer npm 'npm start -- --config package-l'
cd / && offer npm 'npm run rel'
`

test('bash completes commands, names with colons, files, and npm in this folder alone', async () => {
  const gateway = await startLocalGateway({
    config: parseGatewayConfig(configOf({ deep: 'http://127.0.0.1:9/v1' }, [['deep/chat:free']])),
    variables: {},
    port: 0,
    memory: createRequestMemory(),
    log: () => {},
    onHandlerError: error => expect.fail(String(error)),
  })
  try {
    const { stdout: script } = await runCommand('infra/operate/commands/completion.ts', ['bash'])
    const env = { ...process.env, BACKSTOP_URL: gateway.facts.url }
    const { stdout } = await run('bash', ['--norc', '-c', OFFER, 'bash', script], { cwd: ROOT, env })
    expect(stdout.trim().split('\n')).toEqual([
      'npm run rel => release',
      'npm run release -- deep/ => deep/chat:free',
      // Bash keeps what stands before the colon.
      'npm run release -- deep/chat: => free',
      'npm start -- --config package-l => package-lock.json',
      'npm run rel =>',
    ])
  } finally {
    await gateway.close()
  }
})

test('another shell is refused with those that are known', async () => {
  const { code, stderr } = await runCommand('infra/operate/commands/completion.ts', ['fish'])
  expect(code).toBe(1)
  expect(stderr).toContain('bash or zsh')
})
