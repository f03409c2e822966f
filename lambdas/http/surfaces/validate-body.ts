import type * as z from 'zod/mini'
import type { JsonObject } from '../../core/json.ts'
import { GatewayError } from '../../core/routing/gateway-error.ts'
import { describeSlip } from '../describe-slip.ts'

/** `messages[0].role`, as OpenAI names a parameter. */
const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (joined, part) =>
      typeof part === 'number'
        ? `${joined}[${part}]`
        : joined === ''
          ? String(part)
          : `${joined}.${String(part)}`,
    '',
  )

/** The body as its schema has it. Throws `GatewayError` that names the first field at fault. */
export function validateBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  body: JsonObject,
  api: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = pathOf(issue?.path ?? [])
  const isMissing = issue?.path.length === 1 && body[param] === undefined
  const complaint = issue ? describeSlip(issue, param, isMissing) : 'The body is not valid'
  throw new GatewayError('invalid_request', `${complaint}. See the ${api} for what is expected.`, param)
}
