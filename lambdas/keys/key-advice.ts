import { providerKeyVariable } from '../core/provider-key-variable.ts'

/** What somebody has to do so that one of these providers has a key: a sentence. */
export type KeyAdvice = (providers: readonly string[]) => string

/** Where keys come from the environment. */
export const environmentKeyAdvice: KeyAdvice = providers =>
  `Set ${providers.map(providerKeyVariable).join(' or ')} in the environment or in .env, and start the gateway again.`

/** Where keys come from the secret of a stack. Without a name, the reader has to know it. */
export function stackKeyAdvice(stack: string | null): KeyAdvice {
  const command = (provider: string): string => `npm run keys -- set ${provider} --stack ${stack ?? 'NAME'}`
  return providers => `Set one with: ${providers.map(command).join(', or: ')}`
}
