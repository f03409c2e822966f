import { readEnvironment } from '../../../lambdas/config/environment.ts'
import { keyFingerprint } from '../../../lambdas/keys/key-ring.ts'
import { providerKeyVariable } from '../../../lambdas/core/provider-key-variable.ts'
import { CommandError } from '../../terminal/command-error.ts'
import { callsAbout } from '../fleet/command-call.ts'
import { writeDotEnv } from './dot-env-file.ts'
import { editDotEnv } from './edit-dot-env.ts'
import type { KeyStore, ShownKeys } from './key-store.ts'
import { readDotEnv, readDotEnvText } from '../../terminal/read-dot-env.ts'

type Variables = Readonly<Record<string, string | undefined>>

const CLIENT_KEYS = 'BACKSTOP_CLIENT_KEYS'

/** The keys that `npm start` reads: those of the `.env` file of a folder, which alone can be changed. */
export function createLocalKeys(
  folder: string,
  variables: Variables,
  providers: readonly string[],
): KeyStore {
  const place = '.env'
  const call = callsAbout({})
  const inFile = () => readEnvironment(providers, readDotEnv(folder, {}))

  function write(variable: string, keys: readonly string[]): Promise<void> {
    if (keys.some(key => key.includes(',')))
      throw new CommandError(
        'Nothing was changed: a key in .env cannot contain a comma, because commas separate keys.',
      )
    writeDotEnv(folder, editDotEnv(readDotEnvText(folder), variable, keys.length > 0 ? keys.join(',') : null))
    if (variables[variable])
      process.stderr.write(`${variable} is also set in the environment, which takes precedence over .env.\n`)
    return Promise.resolve()
  }

  return {
    place,
    call,
    async list() {
      const { clientKeys, providerKeys } = readEnvironment(providers, readDotEnv(folder, variables))
      return [
        // On this machine a client key has no name.
        ...clientKeys.map(key => shown('client', '–', [key])),
        ...[...providerKeys].map(([id, keys]) => shown('provider', id, keys)),
      ]
    },
    setProvider: async (provider, keys) => write(providerKeyVariable(provider), keys),
    async addClient(_name, key) {
      await write(CLIENT_KEYS, [...inFile().clientKeys, key])
      return keyFingerprint(key)
    },
    async removeProvider(provider) {
      if (!inFile().providerKeys.has(provider)) throw new CommandError(`No key of '${provider}' in .env.`)
      await write(providerKeyVariable(provider), [])
    },
    async removeClient(fingerprint) {
      const { clientKeys } = inFile()
      const others = clientKeys.filter(key => keyFingerprint(key) !== fingerprint)
      if (others.length === clientKeys.length)
        throw new CommandError(
          `Client keys in .env have no names. Use the fingerprint that ${call('keys', 'list')} shows.`,
        )
      await write(CLIENT_KEYS, others)
    },
    afterwards: () => Promise.resolve('Restart the gateway to use the change.'),
  }
}

const shown = (kind: ShownKeys['kind'], name: string, keys: readonly string[]): ShownKeys => ({
  kind,
  name,
  fingerprints: keys.map(keyFingerprint),
})
