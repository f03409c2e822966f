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
/** The window was full: an answer cut short where something came, and a prompt that is too long where nothing did. */
const WINDOW: ReadonlySet<string> = new Set([
  'model_context_window_exceeded',
  'context_window_exceeded',
  'context_length_exceeded',
])
const LENGTH: ReadonlySet<string> = new Set([
  'length',
  'max_tokens',
  'model_length',
  'max_output_tokens',
  ...WINDOW,
])
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

/** The model's window was full. https://docs.anthropic.com/en/api/handling-stop-reasons */
export const isWindowFinish = (finish: string | null): boolean =>
  finish !== null && WINDOW.has(finish.toLowerCase())

/** An answer ended by it is one, if a poor one, also with nothing before it. */
export const isPoorFinish = (finish: string | null): boolean =>
  finish !== null && !isWindowFinish(finish) && ['length', 'filter'].includes(finishKindOf(finish))

/** What clients know in place of the words of one API, behind output. */
export const shownFinish = (finish: string): string => (isWindowFinish(finish) ? 'length' : finish)

/** Clients go by the finish reason to run tools. Any other word is passed on as it came. */
export const presentFinish = (finish: string, called: boolean): string =>
  called && finishKindOf(finish) === 'complete' ? 'tool_calls' : finish
