import type { Endpoint } from '../endpoint.ts'
import type { Settings } from '../settings/settings.ts'

/** Whether an endpoint is probed where nobody names it: what is not returns as its window empties, or by hand. */
export const isProbed = (
  { probe }: Pick<Endpoint, 'probe'>,
  { endpoint_probes_disabled }: Pick<Settings, 'endpoint_probes_disabled'>,
): boolean => probe !== false && !endpoint_probes_disabled
