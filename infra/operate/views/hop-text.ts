import { hopWords, nextWords } from '../../../lambdas/core/routing/view/hop-words.ts'
import { type HopView, type ModelView, nextOf } from '../../../lambdas/core/routing/view/model-view.ts'
import { printable } from '../../terminal/paint.ts'
import type { CommandCall } from '../fleet/command-call.ts'

/** What people who look at a fleet have to know beside it. */
export type Reader = {
  now: number
  /** The stack that it is; null = a gateway on this machine. */
  stack: string | null
  call: CommandCall
}

/** What gives a provider its key. */
const keyAdvice = ({ provider, key_variable: variable }: HopView, { stack, call }: Reader): string =>
  stack === null ? `set ${variable ?? 'one'}` : call('keys', 'set', provider)

/** `cooling down after a rate limit, back in 18 s`; without the cause where there is little room. */
export function hopText(hop: HopView, reader: Reader, withCause = true): string {
  const words = withCause ? hop.words : hopWords(hop, false)
  if (hop.reason === 'no_key') return `${words}: ${keyAdvice(hop, reader)}`
  const next = nextOf(hop)
  return printable(next === null ? words : `${words}, ${nextWords(next, reader.now)}`)
}

/** Why a model does not answer, and what comes next: of the endpoint that may return first. */
export function troubleText({ chain, next }: ModelView, reader: Reader): string {
  const hop = chain.find(({ endpoint }) => endpoint === next?.endpoint) ?? chain[0]
  return hop ? hopText(hop, reader) : 'no endpoint'
}
