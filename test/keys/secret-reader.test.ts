import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it, vi } from 'vitest'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import { createSecretReader } from '../../lambdas/keys/secret-reader.ts'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'

const closing: (() => void)[] = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0)) close()
})

/** A Secrets Manager that gives this answer; returns what it is asked. */
async function secretsManager(status: number, answer: object): Promise<string[]> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    asked.push(await text(request))
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer))
  })
  const port = await listenOnLoopback(server)
  closing.push(() => server.close().closeAllConnections())
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  return asked
}

const createReader = (name: string) =>
  createSecretReader(name, readEnvironment([]).sdkAccess('SECRETS_MANAGER'))

it('reads the text of the secret, from wherever AWS is said to be', async () => {
  const asked = await secretsManager(200, { SecretString: '{"clients":{}}' })
  expect(await createReader('the-secret')()).toBe('{"clients":{}}')
  expect(asked).toEqual(['{"SecretId":"the-secret","VersionStage":"AWSCURRENT"}'])
})

it('gives up where it may not read', async () => {
  await secretsManager(400, { __type: 'AccessDeniedException', message: 'no' })
  await expect(createReader('the-secret')()).rejects.toMatchObject({ name: 'AccessDeniedException' })
})
