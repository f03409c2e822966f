import type { Endpoint } from '../lambdas/core/endpoint.ts'
import type { Settings } from '../lambdas/core/settings/settings.ts'

/** Where the fleet's memory is, and what a command must know of the gateway to change it as the gateway would. */
export type TableFacts = {
  endpoint: string
  table: string
  /** Without the operator's overrides. */
  settings: Settings
  endpoints: readonly Endpoint[]
}
