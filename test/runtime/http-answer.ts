import type { Answered } from './runtime-api.ts'

/** A streamed answer as a Function URL makes it of what the function posts. */
export type HttpAnswer = { status: number; headers: Record<string, string>; body: string }

const INTEGRATION = 'application/vnd.awslambda.http-integration-response'
const SEPARATOR = Buffer.alloc(8)

/** Takes the prelude off the body. @throws Error where there is none. */
export function httpAnswer({ headers, chunks }: Answered): HttpAnswer {
  const bytes = Buffer.concat(chunks.map(chunk => chunk.bytes))
  const end = bytes.indexOf(SEPARATOR)
  if (headers['content-type'] !== INTEGRATION || end < 0)
    throw new Error(`no HTTP answer: ${bytes.toString()}`)
  const prelude = JSON.parse(bytes.subarray(0, end).toString()) as {
    statusCode: number
    headers: Record<string, string>
  }
  const body = bytes.subarray(end + SEPARATOR.length).toString()
  return { status: prelude.statusCode, headers: prelude.headers, body }
}

/** The chunk that holds the first byte behind the prelude. */
export function firstByteIndex({ chunks }: Answered): number {
  let seen = Buffer.alloc(0)
  return chunks.findIndex(({ bytes }) => {
    seen = Buffer.concat([seen, bytes])
    const end = seen.indexOf(SEPARATOR)
    return end >= 0 && seen.length > end + SEPARATOR.length
  })
}
