import type { Json } from '../json.ts'

/** What hosts say at the end of a turn that calls tools, beside `tool_calls`. */
const CALL_FINISHES: ReadonlySet<string> = new Set([
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

/** `length` and `content_filter`, also in the words of hosts that pass on what their backend says. */
const POOR_FINISHES: ReadonlySet<string> = new Set([
  'length',
  'max_tokens',
  'model_length',
  'content_filter',
  'safety',
  'recitation',
  'prohibited_content',
])

/** Some hosts write an empty text, or `null` as text, where there is no finish reason yet. */
export const isFinish = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && value !== 'null'

/** An answer ended by it is one, if a poor one, also with nothing before it. */
export const isPoorFinish = (finish: string | null): boolean => POOR_FINISHES.has(finish?.toLowerCase() ?? '')

/** Clients go by the finish reason to run tools. Any other word is passed on as it came. */
export const presentFinish = (finish: string, called: boolean): string =>
  called && CALL_FINISHES.has(finish.toLowerCase()) ? 'tool_calls' : finish
