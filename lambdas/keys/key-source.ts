import type { KeyRing } from './key-ring.ts'

/** Where the keys of clients and providers come from: the environment on a machine, the stack's secret in AWS. */
export type KeySource = {
  /** Starts and awaits the first load, and nothing later; false = nothing could be read yet. Never rejects. */
  ready(): Promise<boolean>
  /** The name of the client whose key is presented; null = not one of this gateway. Null: any caller is accepted. */
  clientOf: ((presented: string) => string | null | Promise<string | null>) | null
  /** Provider keys as they are known now. */
  ring(): KeyRing
  /** Every key in use, of providers and of clients: what no upstream's words may show. */
  secrets(): readonly string[]
  /** What somebody has to do so that one of these providers has a key: a sentence. */
  advice(providers: readonly string[]): string
  /** A provider refused a key: another may have taken its place. */
  refused(): void
  /** When somebody last changed the secret, as the table tells it (epoch milliseconds); null = never. */
  changed(at: number | null): void
  /** Nothing is being read any more. To be awaited before an invocation ends; null = there is nothing to await. */
  settled(): Promise<void> | null
}
