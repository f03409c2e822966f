import type { Json } from '../json.ts'

/** What hosts say of an answer that is all that the model had to say, or that waits for tools. */
const COMPLETE: ReadonlySet<string> = new Set([
  'stop',
  'stop_sequence',
  'end',
  'end_turn',
  'eos',
  'eos_token',
  'complete',
  'completed',
  'tool_use',
  'tool_call',
  'tool_calls',
  'function_call',
  'function_calls',
])
const LENGTH: ReadonlySet<string> = new Set(['length', 'max_tokens', 'model_length', 'max_output_tokens'])
const FILTER: ReadonlySet<string> = new Set([
  'content_filter',
  'safety',
  'recitation',
  'prohibited_content',
  'refusal',
])

/** How an answer ended, in whatever words its host says it; `other` is no proper end. */
export function finishKindOf(finish: string): 'complete' | 'length' | 'filter' | 'other' {
  const said = finish.toLowerCase()
  if (COMPLETE.has(said)) return 'complete'
  if (LENGTH.has(said)) return 'length'
  return FILTER.has(said) ? 'filter' : 'other'
}

/** Some hosts write an empty text, or `null` as text, where there is no finish reason yet. */
export const isFinish = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && value !== 'null'

/** An answer ended by it is one, if a poor one, also with nothing before it. */
export const isPoorFinish = (finish: string | null): boolean =>
  finish !== null && ['length', 'filter'].includes(finishKindOf(finish))

/** Clients go by the finish reason to run tools. Any other word is passed on as it came. */
export const presentFinish = (finish: string, called: boolean): string =>
  called && finishKindOf(finish) === 'complete' ? 'tool_calls' : finish
