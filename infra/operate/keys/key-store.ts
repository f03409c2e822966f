import type { CommandCall } from '../fleet/command-call.ts'

/** A key as it may be shown: by its name, and by eight digits of its hash. */
export type ShownKeys = { kind: 'client' | 'provider'; name: string; fingerprints: readonly string[] }

/** Where keys are kept: the secret of a stack, or the `.env` file of this folder. */
export type KeyStore = {
  /** For messages. */
  place: string
  /** How commands are called about it. */
  call: CommandCall
  /** What follows a change; for people. */
  afterwards(): Promise<string>
  list(): Promise<readonly ShownKeys[]>
  setProvider(provider: string, keys: readonly string[]): Promise<void>
  /** Returns how the client is called in `remove client`. */
  addClient(name: string, key: string): Promise<string>
  removeProvider(provider: string): Promise<void>
  removeClient(name: string): Promise<void>
}
