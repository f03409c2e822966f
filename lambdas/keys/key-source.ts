import type { KeyRing } from './key-ring.ts'

/** Where the keys of clients and providers come from: the environment on a machine, the stack's secret in AWS. */
export type KeySource = {
  /** Starts and awaits the first load, and nothing later; false = nothing could be read yet. Never rejects. */
  ready(): Promise<boolean>
  /** Whether a presented client key is one of this gateway; null = any caller is accepted. */
  acceptsClientKey: ((presented: string) => boolean | Promise<boolean>) | null
  /** Provider keys as they are known now. */
  ring(): KeyRing
  /** A provider refused a key: another may have taken its place. */
  refused(): void
  /** When somebody last changed the secret, as the table tells it (epoch milliseconds); null = never. */
  changed(at: number | null): void
  /** Nothing is being read any more. To be awaited before an invocation ends. */
  settled(): Promise<void>
}
