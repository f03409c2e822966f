import type { Refusal } from '../capabilities.ts'

const WORDS = {
  tools: 'no tools',
  vision: 'no images',
  json: 'no JSON mode',
  stream: 'no streams',
} as const

/** What an endpoint refused, in a few words for people. */
export function describeRefusal(refusal: Refusal): string {
  switch (refusal.what) {
    case 'context':
      return `${refusal.window.toLocaleString('en-US')} tokens at most`
    case 'param':
      return `no ${refusal.name}`
    case 'decoration':
      return `${refusal.name} left out`
    default:
      return WORDS[refusal.what]
  }
}
