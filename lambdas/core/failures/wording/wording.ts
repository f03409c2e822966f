import type { Verdict } from '../verdict.ts'

/** A phrase and what it means. Phrases are anchored in their sentence: a number or a lone word proves nothing. */
export type WordingRule = { readonly says: RegExp; readonly gives: Verdict }

/** The first phrase found in a text, which is at most a few thousand characters long. */
export function matchWording(rules: readonly WordingRule[], text: string): Verdict | null {
  if (text === '') return null
  return rules.find(rule => rule.says.test(text))?.gives ?? null
}

const ABOUT_A_MODEL =
  /\b(?:this|the|that|selected|requested|specified|chosen|which|with|by|for) model\b|\bmodels?[:=/ ]{1,2}['"`]?(?=\S{0,80}[\d/:-])[\w@][\w.:@/-]{2,}|\bmodel ['"`]|no endpoints found|模型/i

/** "deepseek-reasoner does not support …": a name stands where the subject of the sentence is. */
const NAMED_SUBJECT = /^["'`]?(?=\S{0,80}[-\d:/])[\w.:/-]{3,80}["'`]? (?:does not|doesn't) support\b/

/** Whether a text speaks of one model rather than of everything at the provider. */
export function mentionsModel(text: string): boolean {
  return ABOUT_A_MODEL.test(text) || NAMED_SUBJECT.test(text)
}
