import { expect, test } from 'vitest'
import type { Fragment } from '../bench/benchmark.ts'
import { BENCHMARKS } from '../bench/benchmarks.ts'
import { fragmentsOf, withFragments, withoutFragments, withoutMarks } from '../bench/page-fragments.ts'
import { rawFileOf, readRecorded, recordedNames } from '../bench/recorded-results.ts'
import { PAGES, readFromRoot } from './page.ts'

const CATALOGUE = 'test/bench/README.md'

const recorded = recordedNames().flatMap(name => readRecorded(name) ?? [])

type Stated = Fragment & { benchmark: string }

/** What pages must say, by the recorded results. */
const stated: readonly Stated[] = recorded.flatMap(one =>
  (BENCHMARKS[one.benchmark]?.fragments?.(one.results, one) ?? []).map(fragment => ({
    ...fragment,
    benchmark: one.benchmark,
  })),
)

const found: readonly Stated[] = PAGES.flatMap(page =>
  fragmentsOf(readFromRoot(page)).map(fragment => ({ page, ...fragment })),
)

const nameOf = ({ page, benchmark, id }: Stated): string => `${page}: bench ${benchmark} ${id}`

const rewrite = (name: string): string =>
  `npm run bench -- ${name} --rewrite writes it of the recorded results; --record measures again`

test.each(stated.map(one => [nameOf(one), one] as const))('%s says what was measured', (name, one) => {
  const texts = found.filter(other => nameOf(other) === name).map(({ text }) => text)
  const command = rewrite(one.benchmark)
  expect({ command, texts }).toEqual({ command, texts: [one.text.trim()] })
})

test('every fragment of a page is of recorded results, or still empty', () => {
  const known = new Set(stated.map(nameOf))
  const awaited = (one: Stated): boolean =>
    one.text === '' && Object.hasOwn(BENCHMARKS, one.benchmark) && !recordedNames().includes(one.benchmark)
  const unknown = found.filter(one => !known.has(nameOf(one)) && !awaited(one))
  expect(
    unknown.map(
      one => `${nameOf(one)}: nothing recorded says it; run npm run bench -- ${one.benchmark} --record`,
    ),
  ).toEqual([])
})

test('recorded results are of a benchmark, whole, and told in the list of benchmarks', () => {
  expect(recordedNames().filter(name => !Object.hasOwn(BENCHMARKS, name))).toEqual([])
  const wrong = recorded.filter(
    ({ benchmark, short, date, cores, node }) =>
      short ||
      !/^\d{4}-\d\d-\d\d$/.test(date) ||
      !(cores > 0) ||
      !/^\d+\./.test(node) ||
      !stated.some(one => one.benchmark === benchmark && one.page === CATALOGUE),
  )
  expect(wrong.map(({ benchmark }) => benchmark)).toEqual([])
  expect(recorded.map(({ benchmark }) => benchmark)).toEqual(recordedNames())
})

test('every picture is drawn of the recorded results', () => {
  const wrong = recorded.flatMap(one =>
    (BENCHMARKS[one.benchmark]?.pictures?.(one.results, one) ?? [])
      .filter(({ file, svg }) => readFromRoot(file) !== svg)
      .map(({ file }) => `${file}: ${rewrite(one.benchmark)}`),
  )
  expect(wrong).toEqual([])
})

test('what a run measured lands in a folder that Git ignores', () => {
  expect(rawFileOf('state')).toEqual(new URL('../../.backstop/bench/state.json', import.meta.url))
})

test('a fragment is replaced where it stands, within a line or around lines', () => {
  const page = [
    'It takes <!-- bench one a -->5 ms<!-- /bench -->.',
    '<!-- bench one b -->',
    '| old |',
    '<!-- /bench -->',
    '<!-- bench two a -->other<!-- /bench -->',
  ].join('\n')
  const after = withFragments(page, 'one', [
    { id: 'a', text: '6 ms' },
    { id: 'b', text: '| new |\n| row |' },
  ])
  expect(fragmentsOf(after)).toEqual([
    { benchmark: 'one', id: 'a', text: '6 ms' },
    { benchmark: 'one', id: 'b', text: '| new |\n| row |' },
    { benchmark: 'two', id: 'a', text: 'other' },
  ])
  expect(withoutMarks(after)).toBe('It takes 6 ms.\n\n| new |\n| row |\n\nother')
  expect(withoutFragments(after)).toBe('It takes .\n\n')
})
