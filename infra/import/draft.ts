import type { JsonObject } from '../../lambdas/core/json.ts'
import type { Host } from './providers/hosts.ts'
import type { KeySource } from './providers/key-source.ts'

/** One account at one place: what has one key, and becomes one provider. */
export type Account = {
  host: Host | undefined
  /** Null = the host's own place. */
  baseUrl: string | null
  key: KeySource
  /** An id that clients already use. */
  id?: string
}

export type DraftEndpoint = {
  account: Account
  /** As the host calls it. */
  model: string
  /** Further fields of the endpoint. */
  fields: JsonObject
}

export type DraftAlias = {
  name: string
  /** Further fields of the alias. */
  fields: JsonObject
  tiers: readonly (readonly DraftEndpoint[] | { alias: string })[]
}

/** The configuration of another gateway, read; its providers have no ids yet. */
export type Draft = {
  aliases: readonly DraftAlias[]
  /** Accounts that clients may call directly, beside those of the aliases. */
  accounts: readonly Account[]
  defaultAlias: string | null
  settings: JsonObject
  /** Where the keys are that clients have; null = they need none. */
  clientKey: KeySource | null
}

/** A key that Backstop reads from `variable`, and where it is today. */
export type NeededKey = {
  variable: string
  from: KeySource
  /** Other variables in which the other gateway looks for it. */
  customary: readonly string[]
}
