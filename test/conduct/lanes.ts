import type { ApiName } from './voices.ts'

/** What clients speak, and what the endpoint that breaks speaks beside chat completions; every fallback speaks those alone. */
export type Lane = { api: ApiName; wires: Readonly<Record<string, object>> }

export const LANES = {
  chat: { api: 'chat', wires: {} },
  'responses, translated': { api: 'responses', wires: {} },
  'responses, native': { api: 'responses', wires: { responses: {} } },
  'messages, translated': { api: 'messages', wires: {} },
  'messages, native': { api: 'messages', wires: { messages: {} } },
} as const satisfies Record<string, Lane>
export type LaneName = keyof typeof LANES
