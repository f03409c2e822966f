import { PROVIDER_IDS, providerRow } from '../providers/catalog.ts'
import type { AwsIdentity } from '../config/environment.ts'

/** Providers that take a signature of this AWS identity instead of a key; none where there are no credentials. */
export function signedProviders({ credentials }: AwsIdentity): readonly string[] {
  return credentials === null ? [] : PROVIDER_IDS.filter(id => providerRow(id).signedAs !== null)
}
