import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const HELLO = `export const handler = awslambda.streamifyResponse(async (event, stream) => {
  const body = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: {} })
  body.write('hello')
  body.end()
})
`

/** The folder of the smallest function that streams an answer: what the platform itself costs. */
export async function helloFunction(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backstop-hello-'))
  await writeFile(join(folder, 'index.mjs'), HELLO)
  return folder
}
