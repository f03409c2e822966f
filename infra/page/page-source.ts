import type { ProbeEvent } from '../../lambdas/compose/probe.ts'
import type { MemoryTools } from '../../lambdas/engine/memory/memory-tools.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import type { ProbeLine } from '../local-contract.ts'
import type { RequestLine } from '../request-contract.ts'
import type { PageFacts } from './page-contract.ts'

/** Takes a finished request, and when it ended in epoch milliseconds. */
export type NoteRequest = (line: RequestLine, at: number) => void

/** The fleet that a page is about: the one of this process, or that of a deployed stack. */
export type PageSource = {
  facts(): PageFacts
  /** Calls the gateway with the credentials of whoever runs this process; the page never sees them. */
  call(path: string, init?: RequestInit): Promise<Response>
  store: Pick<FleetStore, 'readUsage'>
  /** Tools that change what the fleet remembers, after a fresh look at the table. */
  tools(): Promise<MemoryTools>
  probe(event: ProbeEvent): Promise<readonly ProbeLine[]>
  /** The last request with this id; null = it is not, or no longer, on record. */
  find(requestId: string): Promise<RequestLine | null>
  /** Begins to fetch finished requests, where they do not come by themselves; returns what stops it. */
  follow?(note: NoteRequest, problem: (message: string | null) => void): () => void
  /** How far back the requests reach that are told at first; absent = only new ones are told. */
  lookBackMs?: number
  /** How often the models and the table are read while a page is open: when nothing happens, and after news. */
  readEveryMs: Readonly<Record<'models' | 'table', { idleMs: number; newsMs: number }>>
}
