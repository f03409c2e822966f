import { DEFAULT_CLIENT } from '../core/callers/client-limits.ts'
import * as z from 'zod/mini'
import { redactSecrets } from '../core/failures/secrecy/redact.ts'

/** The keys that the stack's secret holds. */
export type Secret = {
  /** Pairs of name and key, in the order in which they stand. */
  clients: readonly (readonly [name: string, key: string])[]
  /** The keys of each provider, in the order in which they are used. */
  providerKeys: ReadonlyMap<string, readonly string[]>
}

/** What could be read of a secret, and what could not: places and expectations, never a value. */
export type SecretReading = { secret: Secret; problems: readonly string[] }

/** What may stand in a header; anything else was pasted with something around it. */
const key = z.string().check(z.regex(/^[\x21-\x7e]+$/))
const keys = z.union([key, z.array(key)])

const section = z.record(z.string(), z.unknown())
const secretSchema = z.object({
  defaultClientKey: z.optional(z.unknown()),
  clients: z.optional(z.unknown()),
  providers: z.optional(z.unknown()),
})

/**
 * Reads `{ defaultClientKey, clients: { name: key }, providers: { id: key or list of keys } }`. A malformed
 * entry or section is ignored and the others keep working, so that one slip of an editor never locks everybody out.
 */
export function parseSecret(text: string): SecretReading {
  const parsed = secretSchema.safeParse(jsonOf(text))
  if (!parsed.success) {
    const expected = 'the secret: expected { "defaultClientKey": "…", "clients": {}, "providers": {} }'
    return { secret: { clients: [], providerKeys: new Map() }, problems: [expected] }
  }
  const { defaultClientKey, clients, providers } = parsed.data
  const problems: string[] = []

  function read<Value>(schema: z.ZodMiniType<Value>, path: string, value: unknown): Value[] {
    const { success, data } = schema.safeParse(value)
    if (success) return [data]
    problems.push(`${redactSecrets(path)}: expected a key of printable characters without spaces`)
    return []
  }

  function entriesOf(path: string, value: unknown = {}): [string, unknown][] {
    const { success, data } = section.safeParse(value)
    if (success) return Object.entries(data)
    problems.push(`${path}: expected an object of names and keys`)
    return []
  }

  const generated = defaultClientKey === undefined ? [] : read(key, 'defaultClientKey', defaultClientKey)
  const named = entriesOf('clients', clients).flatMap(([name, value]) =>
    // The name goes into the log, and somebody may have put the key where it belongs.
    read(key, `clients.${name}`, value).map(read => [redactSecrets(name), read] as const),
  )
  return {
    secret: {
      clients: [...generated.map(read => [DEFAULT_CLIENT, read] as const), ...named],
      providerKeys: new Map(
        entriesOf('providers', providers).map(([id, value]) => [
          id,
          read(keys, `providers.${id}`, value).flat(),
        ]),
      ),
    },
    problems,
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
