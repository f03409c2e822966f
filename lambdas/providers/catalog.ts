import type { Endpoint, Price } from '../core/endpoint.ts'
import { completeRow, GENERIC_ROW, listPriceOf, quirksOf } from './provider-row.ts'
import type { ProviderRow, Quirks, RowSource } from './provider-row.ts'
import { CHINESE_VENDORS } from './rows/chinese-vendors.ts'
import { CLOUDS } from './rows/clouds.ts'
import { HOSTS } from './rows/hosts.ts'
import { RELAYS } from './rows/relays.ts'
import { SELF_HOSTED_SERVERS } from './rows/self-hosted.ts'
import { VENDORS } from './rows/vendors.ts'

/** One row a provider: its base URL, its quirks, its error codes, and the APIs that it serves. */
const SOURCES = {
  ...VENDORS,
  ...CHINESE_VENDORS,
  ...CLOUDS,
  ...HOSTS,
  ...RELAYS,
  ...SELF_HOSTED_SERVERS,
} satisfies Record<string, RowSource>

export type ProviderId = keyof typeof SOURCES

const BY_ID: ReadonlyMap<string, RowSource> = new Map<string, RowSource>(Object.entries(SOURCES))

function rowFrom({ like, ...differences }: RowSource): ProviderRow {
  const model = like === undefined ? undefined : BY_ID.get(like)
  return completeRow(differences, model ? rowFrom(model) : { ...GENERIC_ROW, baseUrlExample: null })
}

const CATALOG: ReadonlyMap<string, ProviderRow> = new Map(
  [...BY_ID].map(([id, source]) => [id, rowFrom(source)]),
)

/** Every id that the catalogue knows, second ids included. */
export const PROVIDER_IDS: readonly string[] = [...CATALOG.keys()]

/** The row of a provider; undefined where the catalogue does not know it. */
export function findProvider(id: string): ProviderRow | undefined {
  return CATALOG.get(id)
}

/** The row of a provider; an unknown one is any OpenAI-compatible host. */
export function providerRow(id: string): ProviderRow {
  return CATALOG.get(id) ?? GENERIC_ROW
}

/** Another provider that a key of this one must be of, by how it begins; null where nothing speaks against it. */
export function ownerOfKey(provider: string, key: string): string | null {
  const own = CATALOG.get(provider)
  // Whoever has a provider of their own may give out any key.
  if (!own) return null
  const begins = [...CATALOG].flatMap(([id, { keyPrefix }]) =>
    keyPrefix !== null && key.startsWith(keyPrefix) ? [{ id, keyPrefix }] : [],
  )
  const [first] = begins
  return first && begins.every(({ keyPrefix }) => keyPrefix !== own.keyPrefix) && !own.traits.selfHosted
    ? first.id
    : null
}

/** The row that an endpoint is called by. */
export const rowOf = ({ like, provider }: Pick<Endpoint, 'like' | 'provider'>): ProviderRow =>
  providerRow(like ?? provider)

/** How one model of a provider differs from OpenAI's chat API. */
export function quirksFor(provider: string, model: string): Quirks {
  return quirksOf(providerRow(provider), model)
}

/** What one model costs by the list of its provider; null where no list knows it, or another host bears the name. */
export function listPriceFor(
  { id, baseUrl }: { id: string; baseUrl: string | null },
  model: string,
): Price | null {
  const row = providerRow(id)
  return baseUrl === row.baseUrl ? listPriceOf(row, model) : null
}
