import type * as z from 'zod/mini'
import type { Json, JsonObject } from '../../core/json.ts'
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

const MANY = 1_000

type LongList = readonly [name: string, list: readonly Json[]]

const longListsOf = (body: JsonObject): readonly LongList[] =>
  Object.entries(body).flatMap(([name, list]) =>
    Array.isArray(list) && list.length > MANY ? [[name, list] as const] : [],
  )

/** The body with one part of each long list in its place. */
const shortened = (body: JsonObject, long: readonly LongList[]): JsonObject => ({
  ...body,
  ...Object.fromEntries(long.map(([name, list]) => [name, list.slice(0, 1)])),
})

/**
 * The first fault in lists that are long: they are checked part by part, because only one fault is told, and a
 * hundred thousand would be complained of one by one.
 */
function firstFaultInLists(
  schema: z.ZodMiniType,
  short: JsonObject,
  long: readonly LongList[],
): z.core.$ZodIssue | null {
  for (const [name, list] of long) {
    for (let start = 0; start < list.length; start += MANY) {
      const { error } = schema.safeParse({ ...short, [name]: list.slice(start, start + MANY) })
      const issue = error?.issues.find(({ path }) => path[0] === name)
      if (!issue) continue
      const [, place, ...rest] = issue.path
      return { ...issue, path: [name, ...(typeof place === 'number' ? [place + start] : []), ...rest] }
    }
  }
  return null
}

function withLists<Body>(data: Body, long: readonly LongList[]): Body {
  return long.length === 0 ? data : { ...data, ...Object.fromEntries(long) }
}

/** The body as its schema has it. Throws `GatewayError` that names the first field at fault. */
export function validateBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  body: JsonObject,
  api: string,
): z.infer<Schema> {
  const long = longListsOf(body)
  const short = long.length > 0 ? shortened(body, long) : body
  const longFault = firstFaultInLists(schema, short, long)
  const parsed = longFault ? { error: { issues: [longFault] } } : schema.safeParse(short)
  // What was checked part by part is not checked again.
  if ('data' in parsed && parsed.success) return withLists(parsed.data, long)
  const [issue] = parsed.error?.issues ?? []
  const param = pathOf(issue?.path ?? [])
  const isMissing = issue?.path.length === 1 && body[param] === undefined
  const complaint = issue ? describeSlip(issue, param, isMissing) : 'The body is not valid'
  throw new GatewayError('invalid_request', `${complaint}. See the ${api} for what is expected.`, param)
}
