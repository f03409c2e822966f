import { keyFingerprint } from '../../../lambdas/keys/key-ring.ts'
import { markSecretChanged } from '../../../lambdas/engine/memory/mark-secret-changed.ts'
import { CommandError, describeError } from '../../terminal/command-error.ts'
import { sectionOf, withEntry, withoutEntry } from './edit-secret.ts'
import type { FoundStack } from '../fleet/find-stack.ts'
import { fleetTools, usingFleet } from '../fleet/fleet-tools.ts'
import type { KeyStore, ShownKeys } from './key-store.ts'
import { fleetOfStack } from '../fleet/open-stack-fleet.ts'
import { changeStackSecret, readStackSecret } from './stack-secret.ts'

/** The keys in the secret of a deployed stack. */
export function createStackKeys(stack: FoundStack): KeyStore {
  const place = `the secret of '${stack.name}'`
  return {
    place,
    call: stack.call,
    async list() {
      const secret = await readStackSecret(stack)
      return [
        shown('client', 'default', secret['defaultClientKey']),
        ...sectionOf(secret, 'clients').map(([name, value]) => shown('client', name, value)),
        ...sectionOf(secret, 'providers').map(([name, value]) => shown('provider', name, value)),
      ].filter(({ fingerprints }) => fingerprints.length > 0)
    },
    setProvider: (provider, keys) =>
      changeStackSecret(stack, secret => withEntry(secret, 'providers', [provider, oneOrMany(keys)])),
    async addClient(name, key) {
      await changeStackSecret(stack, secret => {
        if (!sectionOf(secret, 'clients').some(([other]) => other === name))
          return withEntry(secret, 'clients', [name, key])
        throw new CommandError(
          `${place} already has a client '${name}'. Choose another name or remove it first. Nothing was changed.`,
        )
      })
      return name
    },
    removeProvider: provider =>
      changeStackSecret(stack, secret => withoutEntry(secret, 'providers', provider)),
    removeClient: name => changeStackSecret(stack, secret => withoutEntry(secret, 'clients', name)),
    afterwards: () => tellInstances(stack),
  }
}

const oneOrMany = (keys: readonly string[]): string | readonly string[] => {
  const [only, ...others] = keys
  return only !== undefined && others.length === 0 ? only : keys
}

function shown(kind: ShownKeys['kind'], name: string, value: unknown): ShownKeys {
  const keys = [value].flat().filter((key): key is string => typeof key === 'string' && key !== '')
  return { kind, name, fingerprints: keys.map(keyFingerprint) }
}

/** The secret is changed already, so that a table that cannot be used is no reason to fail. */
async function tellInstances(stack: FoundStack): Promise<string> {
  try {
    const fleet = await fleetOfStack(stack, {}, {})
    await usingFleet(fleet, async opened => markSecretChanged(await fleetTools(opened)))
    return 'Running instances use the change within 30 seconds.'
  } catch (error) {
    return `Running instances use the change within five minutes (telling them failed: ${describeError(error)}).`
  }
}
