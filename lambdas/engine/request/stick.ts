import type { ChatRequest } from '../../core/chat-request.ts'
import type { ServedLast } from '../../core/routing/sticky.ts'
import type { StickyMemory } from '../memory/sessions/sticky-memory.ts'
import type { AnswerEnd } from './record.ts'
import type { AnsweredRun } from './run-plan.ts'
import type { Chains, Run } from './run.ts'

/** Where the conversation of a request was served last, as far as anybody knows in time. Never rejects. */
export async function servedLast(
  { conversation, alias }: ChatRequest,
  { chains, sticky }: { chains: Chains; sticky: Pick<StickyMemory, 'servedLast'> },
): Promise<ServedLast | null> {
  // What a client names directly is one endpoint, whatever the settings say.
  const chain = conversation && chains.find(alias, { direct_models: false })
  return chain ? sticky.servedLast(conversation, chain) : null
}

/** A client that left has had its prompt cached all the same; an endpoint that broke off is no place to stay. */
export function rememberServer(
  { request: { conversation }, chain }: Run,
  { served }: AnsweredRun,
  end: AnswerEnd,
  { sticky }: { sticky: Pick<StickyMemory, 'remember'> },
): void {
  if (conversation && end.kind !== 'cut') sticky.remember(conversation, chain, served)
}
