import { withoutFragments } from '../bench/page-fragments.ts'

/** Values that are specified are exact: what is approximate has been measured once. */
const APPROXIMATE =
  /(?:\b(?:some|about|around|roughly|nearly|almost|approximately|typically|on average)\s+|[~≈]\s?)\d/i
const UNIT = String.raw`\d\s?(?:ns|µs|ms|s|seconds|kB|KB|KiB|MB|MiB|GB|GiB|%|x|×|times)(?![\w-])`
/** What only somebody says who has looked. */
const RESULT = String.raw`\b(?:measured|median|percentile|benchmark\w*|p50|p9\d|faster|slower|weighs?|took [\d.,]+)\b`
const WORK = String.raw`\b(?:costs|takes|needs|uses|holds|adds)\b`
/** A bound is a promise, which the code keeps. */
const BOUND =
  /\b(?:at most|at least|up to|within|after|until|every|limit\w*|longer|more|less|never|beyond|past|exceed)\b/i

const SEEN = new RegExp(`${RESULT}[^]*${UNIT}|${UNIT}[^]*${RESULT}`, 'i')
const SPENT = new RegExp(`${WORK}[^]*${UNIT}`, 'i')

const isMeasured = (sentence: string): boolean =>
  APPROXIMATE.test(sentence) || SEEN.test(sentence) || (SPENT.test(sentence) && !BOUND.test(sentence))

const sentencesOf = (text: string): string[] =>
  text.split(/(?<=[.;!?])\s+|\n{2,}|\|/).map(sentence => sentence.replaceAll(/\s+/g, ' ').trim())

/** Sentences that look as if they told a measurement, by hand. */
export const measuredIn = (text: string): string[] => sentencesOf(text).filter(isMeasured)

/** A page's own words: without what benchmarks have written, samples, and code. */
export const proseOf = (page: string): string =>
  withoutFragments(page)
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/`[^`\n]*`/g, 'code')

const COMMENT = /\/\*[^]*?\*\/|(?:(?:^|\s)\/\/ .*(?:\n|$))+/gm

/** The comments of a file, each as one text. */
export const commentsOf = (source: string): string[] =>
  [...source.matchAll(COMMENT)].map(([comment]) =>
    comment.replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/) ?/gm, '').replaceAll(/`[^`\n]*`/g, 'code'),
  )
