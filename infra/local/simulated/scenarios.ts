import { GROQ_OVER_CAPACITY, OPENAI_RATE_LIMIT, OPENROUTER_REMOVED, type Refusal } from './refusals.ts'

/** How one simulated model behaves. Times in milliseconds; `cutAfter` counts tokens. */
export type Scenario =
  | { kind: 'answer'; firstTokenMs: number; tokenMs: number }
  | { kind: 'cut'; firstTokenMs: number; tokenMs: number; cutAfter: number }
  | { kind: 'refuse'; afterMs: number; refusal: Refusal }
  | { kind: 'silent' }

/** The provider that exists only here: each of its models is named after what goes wrong with it. */
export const DEMONSTRATION_PROVIDER = 'simulated'

const WELL: Scenario = { kind: 'answer', firstTokenMs: 90, tokenMs: 18 }

/** What does not answer well, by endpoint. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'openai/gpt-4o': { kind: 'refuse', afterMs: 12, refusal: OPENAI_RATE_LIMIT },
  'openrouter/deepseek/deepseek-chat:free': { kind: 'refuse', afterMs: 35, refusal: OPENROUTER_REMOVED },
  'groq/llama-3.3-70b-versatile': { kind: 'refuse', afterMs: 20, refusal: GROQ_OVER_CAPACITY },
  'simulated/rate-limited': { kind: 'refuse', afterMs: 12, refusal: OPENAI_RATE_LIMIT },
  'simulated/over-capacity': { kind: 'refuse', afterMs: 20, refusal: GROQ_OVER_CAPACITY },
  'simulated/vectors-over-capacity': { kind: 'refuse', afterMs: 20, refusal: GROQ_OVER_CAPACITY },
  'simulated/slow': { kind: 'answer', firstTokenMs: 1_200, tokenMs: 250 },
  'simulated/cut': { kind: 'cut', firstTokenMs: 90, tokenMs: 40, cutAfter: 12 },
  'simulated/silent': { kind: 'silent' },
}

/** How a model of a simulated provider behaves; one that no row names answers well. */
export function scenarioOf(provider: string, model: string): Scenario {
  return SCENARIOS[`${provider}/${model}`] ?? WELL
}
