import type { Writable } from 'node:stream'
import { openResponse } from '../../lambdas/platform/lambda-stream.ts'

/** Begins a response as the gateway does: through Lambda's global. */
export const begin = (stream: Writable, statusCode: number, headers: Record<string, string> = {}): Writable =>
  openResponse(stream, { statusCode, headers })
