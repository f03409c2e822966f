import type { Fragment } from './benchmark.ts'

/** Within a line, or on lines of their own around a paragraph, a list or a table. */
const FRAGMENT = /<!-- bench ([a-z\d-]+) ([a-z\d-]+) -->([^]*?)<!-- \/bench -->/g

const INLINE = /<!-- (?:bench [a-z\d-]+ [a-z\d-]+|\/bench) -->/g

export type FoundFragment = { benchmark: string; id: string; text: string }

/** What a page says of measurements, in order. */
export const fragmentsOf = (page: string): FoundFragment[] =>
  [...page.matchAll(FRAGMENT)].map(([, benchmark = '', id = '', text = '']) => ({
    benchmark,
    id,
    text: text.trim(),
  }))

/** A page as readers see it: without the marks of the fragments, and with their text. */
export const withoutMarks = (page: string): string => page.replaceAll(INLINE, '')

/** A page without its fragments: what nothing prints. */
export const withoutFragments = (page: string): string => page.replaceAll(FRAGMENT, '')

/**
 * The page with the text of these fragments of one benchmark, each where its marks stand: on lines of their own if they
 * stood so before.
 */
export function withFragments(
  page: string,
  benchmark: string,
  fragments: readonly Omit<Fragment, 'page'>[],
): string {
  const texts = new Map(fragments.map(({ id, text }) => [id, text]))
  return page.replaceAll(FRAGMENT, (whole: string, name: string, id: string, before: string) => {
    const text = name === benchmark ? texts.get(id) : undefined
    if (text === undefined) return whole
    const edge = before.startsWith('\n') ? '\n' : ''
    return `<!-- bench ${name} ${id} -->${edge}${text}${edge}<!-- /bench -->`
  })
}
