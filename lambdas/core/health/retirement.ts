import { isGoneForGood } from '../failures/blame.ts'
import { byHandOf, type Health, type LastFailure } from './health.ts'

/** So long nothing has been heard of a model before it counts as retired: a host may err for some hours. */
const RETIRED_AFTER_MS = 86_400_000

const saysGone = ({ kind, status, message }: Omit<LastFailure, 'at'>): boolean =>
  kind === 'model_not_found' || isGoneForGood({ status, code: null, message })

/**
 * Whether an endpoint has been in quarantine for more than a day because its model is gone: its host says so in so many
 * words, or does not know the model. It is probed like any other, and may return.
 * @param last what was seen there last; null = its words are lost, and the cause speaks for them
 */
export function isRetired(health: Health, last: Omit<LastFailure, 'at'> | null, now: number): boolean {
  if (health.state !== 'quarantined' || byHandOf(health) !== undefined) return false
  if (now - health.since <= RETIRED_AFTER_MS) return false
  return saysGone(last ?? { kind: health.cause, status: null, message: '' })
}

/** What a provider's list had instead of a retired model. */
export type Suggestion = {
  /** When the list was asked for; epoch milliseconds. */
  at: number
  /** Null = nothing like it. */
  model: string | null
}

const FORM = /^(\d{1,16}) (\S{0,128})$/

/** As it stands beside an endpoint's counters. */
export const writeSuggestion = ({ at, model }: Suggestion): string => `${at} ${model ?? ''}`

/** Null where there is none, or it makes no sense. */
export function readSuggestion(text: string | null): Suggestion | null {
  const [, at, model = ''] = FORM.exec(text ?? '') ?? []
  return at === undefined ? null : { at: Number(at), model: model === '' ? null : model }
}
