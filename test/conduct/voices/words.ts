/** How many tokens a whole answer has. */
export const TOKENS = 60
export const PROMPT_TOKENS = 12

/** Epoch seconds. */
export const CREATED = 1_700_000_000

export const wordOf = (model: string, position: number): string => `${model}:${position} `

/** What a whole answer of this model reads: its words tell who said them, and whether one is missing. */
export const wholeAnswer = (model: string): string =>
  Array.from({ length: TOKENS }, (_, position) => wordOf(model, position)).join('')
